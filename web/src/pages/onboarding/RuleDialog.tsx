import { useState } from "react";
import { commandLine } from "../../api/cli";
import { api } from "../../api/client";
import { useZone, usualZone } from "../../app/zone";
import { CopyCli } from "../../components/CopyCli";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { FormDialog } from "../../components/FormDialog";
import { SelectField } from "../../components/SelectField";
import { TextField } from "../../components/TextField";
import { wordsOf } from "../../components/words";

// Creates an accept rule.
export function RuleDialog({ onClose }: { onClose: () => void }) {
  const { report } = useCommonChange("rules");
  const choice = useZone();
  const { zones } = choice;
  const [name, setName] = useState("");
  const [networks, setNetworks] = useState("");
  const [names, setNames] = useState("");
  const [key, setKey] = useState("");
  const [zone, setZone] = useState(() => usualZone(choice));
  const [tags, setTags] = useState("");
  const [groups, setGroups] = useState("");
  const [priority, setPriority] = useState("0");
  const hasCondition = wordsOf(networks).length + wordsOf(names).length > 0 || key !== "";
  const create = async () => {
    const answer = await api.post("/api/v1/accept-rules", {
      name: name.trim(),
      priority: Number(priority),
      zone,
      networks: wordsOf(networks),
      names: wordsOf(names),
      tags: wordsOf(tags),
      groups: wordsOf(groups),
      ...(key === "" ? {} : { activation_key: key }),
    });
    await report(answer, {
      title: `Accept rule ${name.trim()} created`,
      body: "The rule applies to systems that enrol from now on.",
    });
    onClose();
  };
  const flags = [
    ...wordsOf(networks).flatMap((word) => ["--network", word]),
    ...wordsOf(names).flatMap((word) => ["--name", word]),
    ...(key === "" ? [] : ["--activation-key-file", "FILE"]),
    "--zone",
    zone,
    ...wordsOf(tags).flatMap((word) => ["--tag", word]),
    ...wordsOf(groups).flatMap((word) => ["--group", word]),
    ...(priority === "0" ? [] : ["--priority", priority]),
  ];
  return (
    <FormDialog
      title="Create accept rule"
      about="A system must meet all conditions. Of several networks or names, one must match."
      action="Create rule"
      ready={name.trim() !== "" && hasCondition && /^-?\d+$/.test(priority)}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} required autoFocus />
      <TextField
        label="Networks"
        value={networks}
        onChange={setNetworks}
        placeholder="192.0.2.0/24"
      />
      <TextField label="System names" value={names} onChange={setNames} placeholder="web*" />
      <TextField
        label="Activation key"
        value={key}
        onChange={setKey}
        help="Write the key down: only its digest is stored."
      />
      <SelectField
        label="Zone"
        value={zone}
        onChange={setZone}
        choices={(zones.length > 0 ? zones.map((zone) => zone.name) : [zone]).map((name) => ({
          value: name,
          label: name,
        }))}
      />
      <TextField label="Tags" value={tags} onChange={setTags} />
      <TextField label="Groups" value={groups} onChange={setGroups} />
      <TextField
        label="Priority"
        value={priority}
        onChange={setPriority}
        help="Lower numbers are evaluated first."
      />
      <div>
        <CopyCli
          command={commandLine("muster", "keys", "rules", "add", name || "NAME", ...flags)}
        />
      </div>
    </FormDialog>
  );
}

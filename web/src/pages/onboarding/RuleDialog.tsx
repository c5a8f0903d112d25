import { useState } from "react";
import { commandLine } from "../../api/cli";
import { api } from "../../api/client";
import { isDrafted } from "../../api/common";
import { useNotifications } from "../../app/notifications";
import { useZone, usualZone } from "../../app/zone";
import { CopyCli } from "../../components/CopyCli";
import { FormDialog } from "../../components/FormDialog";
import { SelectField } from "../../components/SelectField";
import { TextField } from "../../components/TextField";
import { wordsOf } from "../../components/words";

export function RuleDialog({ onClose }: { onClose: () => void }) {
  const { tell } = useNotifications();
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
  const make = async () => {
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
    if (isDrafted(answer)) tell({ title: "In the draft" });
    else
      tell({ title: `Rule ${name.trim()} added`, body: "It is looked at when a system enrols." });
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
      title="Add a rule"
      about="All that it asks for must hold; of several networks or names one is enough."
      action="Add"
      ready={name.trim() !== "" && hasCondition && /^-?\d+$/.test(priority)}
      onSubmit={make}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} required autoFocus />
      <TextField
        label="Networks"
        value={networks}
        onChange={setNetworks}
        placeholder="192.0.2.0/24"
      />
      <TextField label="Names" value={names} onChange={setNames} placeholder="web*" />
      <TextField
        label="Activation key"
        value={key}
        onChange={setKey}
        help="Only its digest is kept: note it down."
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
        help="The smallest counts."
      />
      <div>
        <CopyCli
          command={commandLine("muster", "keys", "rules", "add", name || "NAME", ...flags)}
        />
      </div>
    </FormDialog>
  );
}

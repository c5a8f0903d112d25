// Accepts systems of the pool into a zone.
import { Checkbox } from "@patternfly/react-core";
import { useState } from "react";
import { commandLine } from "../../api/cli";
import { useZone, usualZone } from "../../app/zone";
import { TargetSummary } from "../../components/actions/TargetSummary";
import { bodyOf, targetLabel } from "../../components/actions/target";
import { CopyCli } from "../../components/CopyCli";
import { FormDialog } from "../../components/FormDialog";
import { SelectField } from "../../components/SelectField";
import { TextField } from "../../components/TextField";
import { wordsOf } from "../../components/words";
import type { KeyDialogProps } from "./keyDialogs";

export function AcceptDialog({ target, run, onClose, onDone }: KeyDialogProps) {
  const choice = useZone();
  const { zones } = choice;
  const [zone, setZone] = useState(() => usualZone(choice));
  const [tags, setTags] = useState("");
  const [groups, setGroups] = useState("");
  const [asNew, setAsNew] = useState(false);
  const accept = async () => {
    onDone();
    await run("Accepted", "/api/v1/keys/accept", {
      ...bodyOf(target),
      zone,
      tags: wordsOf(tags),
      groups: wordsOf(groups),
      ...(asNew ? { as_new: true } : {}),
    });
  };
  const flags = [
    "--zone",
    zone,
    ...wordsOf(tags).flatMap((word) => ["--tag", word]),
    ...wordsOf(groups).flatMap((word) => ["--group", word]),
    ...(asNew ? ["--as-new"] : []),
  ];
  const names = target.fingerprints ?? [target.query];
  return (
    <FormDialog
      title={`Accept ${targetLabel(target)}`}
      about="Each system gets a number and connects to a node of the zone."
      action="Accept systems"
      ready={zone !== ""}
      onSubmit={accept}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <SelectField
        label="Zone"
        value={zone}
        onChange={setZone}
        choices={(zones.length > 0 ? zones.map((zone) => zone.name) : [zone]).map((name) => ({
          value: name,
          label: name,
        }))}
      />
      <TextField
        label="Tags"
        value={tags}
        onChange={setTags}
        help="Separate several tags by spaces or commas."
      />
      <TextField label="Groups" value={groups} onChange={setGroups} />
      <Checkbox
        id="accept-as-new"
        label="Accept as new, even if the machine is known by another key"
        description="For machines cloned from one image. Otherwise the new key replaces the old key of the machine."
        isChecked={asNew}
        onChange={(_, checked) => setAsNew(checked)}
      />
      <div>
        <CopyCli
          command={commandLine(
            "muster",
            "keys",
            "accept",
            names.length === 1 ? names[0] : target.query,
            ...flags,
          )}
        />
      </div>
    </FormDialog>
  );
}

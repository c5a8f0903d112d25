// Further decisions about systems that wait for acceptance.
import { useState } from "react";
import { TargetSummary } from "../../components/actions/TargetSummary";
import { bodyOf, type Target, targetLabel } from "../../components/actions/target";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { FormDialog } from "../../components/FormDialog";
import { TextField } from "../../components/TextField";
import type { useBulk } from "../../components/useBulk";
import { wordsOf } from "../../components/words";

export interface KeyDialogProps {
  target: Target;
  run: ReturnType<typeof useBulk>["run"];
  onClose: () => void;
  onDone: () => void;
}

export function LabelDialog({ target, run, onClose, onDone }: KeyDialogProps) {
  const [tags, setTags] = useState("");
  const [groups, setGroups] = useState("");
  return (
    <FormDialog
      title={`Tags and groups of ${targetLabel(target)}`}
      about="Tags and groups are kept when the systems are accepted."
      action="Add labels"
      ready={wordsOf(tags).length + wordsOf(groups).length > 0}
      onSubmit={async () => {
        onDone();
        await run("Labelled", "/api/v1/keys/label", {
          ...bodyOf(target),
          tags: wordsOf(tags),
          groups: wordsOf(groups),
        });
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <TextField
        label="Tags"
        value={tags}
        onChange={setTags}
        autoFocus
        help="Separate several tags by spaces or commas."
      />
      <TextField label="Groups" value={groups} onChange={setGroups} />
    </FormDialog>
  );
}

export function RejectDialog({ target, run, onClose, onDone }: KeyDialogProps) {
  return (
    <ConfirmDialog
      title={`Reject ${targetLabel(target)}?`}
      action="Reject systems"
      onConfirm={async () => {
        onDone();
        await run("Rejected", "/api/v1/keys/reject", bodyOf(target));
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <p>
        Accept rules no longer apply to rejected systems. You can still accept the systems one by
        one.
      </p>
    </ConfirmDialog>
  );
}

export function BanDialog({ target, run, onClose, onDone }: KeyDialogProps) {
  const typed = Number.isNaN(target.count) ? "ban all" : `ban ${target.count}`;
  return (
    <ConfirmDialog
      title={`Ban ${targetLabel(target)} permanently?`}
      action="Ban permanently"
      danger
      typed={typed}
      onConfirm={async () => {
        onDone();
        await run("Banned", "/api/v1/keys/delete", bodyOf(target));
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <p>The keys are never accepted again, and the agents stop. This cannot be undone.</p>
    </ConfirmDialog>
  );
}

// What else is decided about systems that wait.
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
      about="They keep them when they are accepted."
      action="Add"
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
        help="Several with blanks or commas."
      />
      <TextField label="Groups" value={groups} onChange={setGroups} />
    </FormDialog>
  );
}

export function RejectDialog({ target, run, onClose, onDone }: KeyDialogProps) {
  return (
    <ConfirmDialog
      title={`Reject ${targetLabel(target)}`}
      action="Reject"
      onConfirm={async () => {
        onDone();
        await run("Rejected", "/api/v1/keys/reject", bodyOf(target));
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <p>No rule takes them in any more. They may be accepted later, one by one.</p>
    </ConfirmDialog>
  );
}

export function BanDialog({ target, run, onClose, onDone }: KeyDialogProps) {
  const typed = Number.isNaN(target.count) ? "ban all" : `ban ${target.count}`;
  return (
    <ConfirmDialog
      title={`Ban ${targetLabel(target)} for ever`}
      action="Ban for ever"
      danger
      typed={typed}
      onConfirm={async () => {
        onDone();
        await run("Banned", "/api/v1/keys/delete", bodyOf(target));
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <p>Their keys never get in again, and their agents stop themselves. There is no way back.</p>
    </ConfirmDialog>
  );
}

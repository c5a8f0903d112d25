// Applies or discards the draft.
import { Button, Tooltip } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useEditing } from "../../components/editing";
import type { Edit, EditsState, Revision } from "../../components/editTypes";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { plural } from "../../components/format";

export function Apply({ state, own }: { state: EditsState; own: Edit }) {
  const client = useQueryClient();
  const { refresh } = useEditing();
  const { tell, fail } = useNotifications();
  const may = useMay("common.apply");
  const [asks, setAsks] = useState<"apply" | "discard" | null>(null);
  const [note, setNote] = useState("");
  const button = useRef<HTMLButtonElement>(null);
  const reason = !may
    ? "You need the right common.apply to apply the draft."
    : state.apply.allowed
      ? null
      : (state.apply.reason ?? "The draft cannot be applied now.");

  const apply = async () => {
    const done = await api.post<{ state: string; revision?: Revision }>(
      `/api/v1/edits/${part(own.id)}/apply`,
      note.trim() === "" ? {} : { note: note.trim() },
    );
    tell({
      title: done.revision
        ? `Draft applied as revision ${done.revision.number}`
        : "Applying the draft",
    });
    setAsks(null);
    refresh();
    for (const topic of ["groups", "windows", "rules", "roles"])
      void client.invalidateQueries({ queryKey: [topic] });
  };
  const discard = async () => {
    try {
      const done = await api.post<{ discarded: number }>(`/api/v1/edits/${part(own.id)}/discard`);
      tell({ title: `Draft discarded: ${plural(done.discarded, "change")}` });
    } catch (failure) {
      fail("Cannot discard the draft", failure);
    } finally {
      setAsks(null);
      refresh();
    }
  };
  return (
    <>
      <Button
        ref={button}
        isAriaDisabled={reason !== null}
        aria-describedby={reason ? "apply-reason" : undefined}
        onClick={() => reason === null && setAsks("apply")}
      >
        Apply draft
      </Button>
      {reason && <Tooltip content={reason} triggerRef={button} aria="none" />}
      <Button variant="secondary" onClick={() => setAsks("discard")}>
        Discard draft…
      </Button>
      {reason && (
        <span id="apply-reason" className="apply-reason">
          {reason}
        </span>
      )}
      {asks === "apply" && (
        <FormDialog
          title="Apply draft"
          about={`${plural(state.draft.changes, "change")} will be published as a revision to all servers.`}
          action="Apply draft"
          onSubmit={apply}
          onClose={() => setAsks(null)}
        >
          <Field
            id="apply-note"
            label="Note"
            value={note}
            onChange={setNote}
            hint="Shown in the history."
          />
        </FormDialog>
      )}
      {asks === "discard" && (
        <ConfirmDialog
          title="Discard draft?"
          action="Discard draft"
          danger
          onConfirm={discard}
          onClose={() => setAsks(null)}
        >
          {plural(state.draft.changes, "change")} will be lost, including those of other users. Your
          edit session ends.
        </ConfirmDialog>
      )}
    </>
  );
}

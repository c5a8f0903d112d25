// Drafts the changes that undo a revision, in the user's edit session.
import { Button } from "@patternfly/react-core";
import { useState } from "react";
import { useNavigate } from "react-router-dom";
import { api, part } from "../../api/client";
import { useMay } from "../../app/session";
import { useEditing } from "../../components/editing";
import { FormDialog } from "../../components/FormDialog";
import type { RevertReport } from "./RevertResult";
import type { Reverted } from "./types";

export function RevertButton({ number }: { number: number }) {
  const may = useMay("common.edit");
  const { own, begin, state, refresh } = useEditing();
  const go = useNavigate();
  const [asks, setAsks] = useState(false);
  if (!may) return null;
  const revert = async () => {
    const edit = own?.id ?? (await begin(`revert revision ${number}`));
    const done = await api.post<Reverted>(`/api/v1/revisions/${part(number)}/revert`, { edit });
    refresh();
    const reverted: RevertReport = {
      revision: number,
      changes: done.changes.length,
      skipped: done.skipped,
    };
    go("/edits", { state: { reverted } });
  };
  return (
    <>
      <Button
        variant="secondary"
        isDisabled={state?.draft.state === "applying"}
        onClick={() => setAsks(true)}
      >
        Revert…
      </Button>
      {asks && (
        <FormDialog
          title={`Revert revision ${number}?`}
          action="Add to draft"
          onSubmit={revert}
          onClose={() => setAsks(false)}
        >
          <p>
            Changes that undo revision {number} are added to the draft. Nothing changes until you
            apply the draft.
            {!own && " An edit session is started for you."}
          </p>
        </FormDialog>
      )}
    </>
  );
}

// Who edits now, who leads, the draft, and what may be done with it.
import { Alert, Button, Card, CardBody, CardTitle, Flex } from "@patternfly/react-core";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { useEditing } from "../../components/editing";
import type { Edit, EditsState } from "../../components/editTypes";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { plural } from "../../components/format";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { Apply } from "./Apply";
import { DraftChanges } from "./DraftChanges";

export function Sessions() {
  const editing = useEditing();
  const may = useMay("common.edit");
  const [beginning, setBeginning] = useState(false);
  const { state } = editing;
  if (!state)
    return editing.error ? (
      <ErrorView error={editing.error} retry={editing.refresh} />
    ) : (
      <LoadingView what="edit sessions" />
    );
  const begin = may && !editing.own && (
    <Button onClick={() => setBeginning(true)}>Begin editing</Button>
  );
  return (
    <div className="edits">
      <Standing state={state} />
      {state.items.length === 0 && state.draft.changes === 0 ? (
        <EmptyView title="Nobody edits" actions={begin}>
          While nobody edits, changes of groups, windows, rules and roles are done at once. Begin a
          session to collect several, look at them as a whole, and apply them together.
        </EmptyView>
      ) : (
        <>
          <Flex gap={{ default: "gapSm" }}>
            {begin}
            {editing.own && <Apply state={state} own={editing.own} />}
          </Flex>
          <Editors state={state} />
          {may && <DraftChanges edit={editing.own?.id} />}
        </>
      )}
      {beginning && <BeginDialog onClose={() => setBeginning(false)} />}
    </div>
  );
}

function Standing({ state }: { state: EditsState }) {
  return (
    <Card isCompact>
      <CardBody>
        <dl className="edits-facts">
          <div>
            <dt>Leader</dt>
            <dd>
              {state.leader ? (
                <>
                  <strong>{state.leader.server}</strong> since <Time at={state.leader.since} />
                </>
              ) : (
                "none: elected when somebody begins to edit"
              )}
            </dd>
          </div>
          <div>
            <dt>Draft</dt>
            <dd>
              {state.draft.state === "none" ? "none" : plural(state.draft.changes, "change")}
              {state.draft.since && (
                <>
                  , begun <Time at={state.draft.since} style="relative" />
                </>
              )}
            </dd>
          </div>
          <div>
            <dt>In force</dt>
            <dd>
              {state.revision ? (
                <>
                  revision {state.revision.number}, <Time at={state.revision.made} />
                </>
              ) : (
                "no revision yet"
              )}
            </dd>
          </div>
        </dl>
        {state.draft.state === "applying" && (
          <Alert isInline variant="info" component="h2" title="The draft is being applied" />
        )}
        {state.draft.state === "halted" && (
          <Alert isInline variant="danger" component="h2" title="Applying stopped">
            {state.draft.error}
          </Alert>
        )}
      </CardBody>
    </Card>
  );
}

function Editors({ state }: { state: EditsState }) {
  const { own, goOn, refresh } = useEditing();
  const mayApply = useMay("common.apply");
  const { tell, fail } = useNotifications();
  const [ended, setEnded] = useState<Edit | null>(null);
  const end = async (edit: Edit) => {
    try {
      const answer = await api.remove<{ changes: number }>(`/api/v1/edits/${part(edit.id)}`);
      tell({
        title: "The session was ended",
        body:
          answer.changes > 0
            ? `The draft stays, with ${plural(answer.changes, "change")}.`
            : undefined,
      });
    } catch (failure) {
      fail("The session was not ended", failure);
    } finally {
      setEnded(null);
      refresh();
    }
  };
  const columns: TableColumn<Edit>[] = [
    {
      key: "user",
      title: "Who",
      cell: (row) => (
        <span>
          <strong>{row.user}</strong>
          {row.id === own?.id && " (you, here)"}
          {row.own && row.id !== own?.id && " (you, elsewhere)"}
        </span>
      ),
    },
    { key: "note", title: "Why", cell: (row) => row.note || "–" },
    { key: "began", title: "Began", cell: (row) => <Time at={row.began} /> },
    { key: "seen", title: "Heard of", cell: (row) => <Time at={row.seen} style="relative" /> },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) => (
        <Flex gap={{ default: "gapXs" }}>
          {row.own && !own && (
            <Button variant="secondary" size="sm" onClick={() => goOn(row.id)}>
              Go on here
            </Button>
          )}
          {(row.own || mayApply) && (
            <Button variant="link" size="sm" onClick={() => setEnded(row)}>
              End…
            </Button>
          )}
        </Flex>
      ),
    },
  ];
  return (
    <Card isCompact>
      <CardTitle component="h2">Who edits</CardTitle>
      <CardBody>
        <DataTable
          label="Edit sessions"
          columns={columns}
          rows={state.items}
          rowKey={(row) => row.id}
          empty={<p className="quiet">Nobody edits now; the draft waits.</p>}
        />
      </CardBody>
      {ended && (
        <ConfirmDialog
          title={ended.own ? "End your session?" : `End the session of ${ended.user}?`}
          action="End"
          danger={!ended.own}
          onConfirm={() => end(ended)}
          onClose={() => setEnded(null)}
        >
          The draft stays. Whoever edits next finds it.
        </ConfirmDialog>
      )}
    </Card>
  );
}

function BeginDialog({ onClose }: { onClose: () => void }) {
  const { begin } = useEditing();
  const [note, setNote] = useState("");
  return (
    <FormDialog
      title="Begin editing"
      about="From now on your changes of groups, windows, rules and roles go into the draft, on every page."
      action="Begin"
      onSubmit={async () => {
        await begin(note.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <Field id="edit-note" label="Why" value={note} onChange={setNote} hint="Others see it." />
    </FormDialog>
  );
}

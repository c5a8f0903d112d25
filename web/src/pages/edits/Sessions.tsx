// Open edit sessions, the leader, the draft and its actions.
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
import { RevertResult } from "./RevertResult";

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
    <Button onClick={() => setBeginning(true)}>Start editing</Button>
  );
  return (
    <div className="edits">
      <RevertResult />
      <Standing state={state} />
      {state.items.length === 0 && state.draft.changes === 0 ? (
        <EmptyView title="No open edit sessions" actions={begin}>
          Without an edit session, changes of groups, maintenance schedules, accept rules and roles
          take effect immediately. Start editing to collect changes in a draft, review them, and
          apply them together.
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
                "None. A leader is elected when an edit session starts."
              )}
            </dd>
          </div>
          <div>
            <dt>Draft</dt>
            <dd>
              {state.draft.state === "none" ? "No draft" : plural(state.draft.changes, "change")}
              {state.draft.since && (
                <>
                  , started <Time at={state.draft.since} style="relative" />
                </>
              )}
            </dd>
          </div>
          <div>
            <dt>Current revision</dt>
            <dd>
              {state.revision ? (
                <>
                  {state.revision.number}, published <Time at={state.revision.made} />
                </>
              ) : (
                "No revisions yet"
              )}
            </dd>
          </div>
        </dl>
        {state.draft.state === "applying" && (
          <Alert isInline variant="info" component="h2" title="Applying the draft" />
        )}
        {state.draft.state === "halted" && (
          <Alert isInline variant="danger" component="h2" title="Draft could not be applied">
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
        title: "Edit session ended",
        body:
          answer.changes > 0
            ? `The draft is kept: ${plural(answer.changes, "change")}.`
            : undefined,
      });
    } catch (failure) {
      fail("Cannot end the edit session", failure);
    } finally {
      setEnded(null);
      refresh();
    }
  };
  const columns: TableColumn<Edit>[] = [
    {
      key: "user",
      title: "User",
      cell: (row) => (
        <span>
          <strong>{row.user}</strong>
          {row.id === own?.id && " (you, this browser)"}
          {row.own && row.id !== own?.id && " (you, another browser)"}
        </span>
      ),
    },
    { key: "note", title: "Note", cell: (row) => row.note || "–" },
    { key: "began", title: "Started", cell: (row) => <Time at={row.began} /> },
    { key: "seen", title: "Last active", cell: (row) => <Time at={row.seen} style="relative" /> },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) => (
        <Flex gap={{ default: "gapXs" }}>
          {row.own && !own && (
            <Button variant="secondary" size="sm" onClick={() => goOn(row.id)}>
              Continue here
            </Button>
          )}
          {(row.own || mayApply) && (
            <Button variant="link" size="sm" onClick={() => setEnded(row)}>
              End session…
            </Button>
          )}
        </Flex>
      ),
    },
  ];
  return (
    <Card isCompact>
      <CardTitle component="h2">Open edit sessions</CardTitle>
      <CardBody>
        <DataTable
          label="Edit sessions"
          columns={columns}
          rows={state.items}
          rowKey={(row) => row.id}
          empty={<p className="quiet">No open edit sessions. The draft is kept.</p>}
        />
      </CardBody>
      {ended && (
        <ConfirmDialog
          title={ended.own ? "End your edit session?" : `End the edit session of ${ended.user}?`}
          action="End session"
          danger={!ended.own}
          onConfirm={() => end(ended)}
          onClose={() => setEnded(null)}
        >
          The draft is kept. The next edit session continues it.
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
      title="Start editing"
      about="Your changes of groups, maintenance schedules, accept rules and roles go into the draft, from every page, until you end the session."
      action="Start editing"
      onSubmit={async () => {
        await begin(note.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <Field
        id="edit-note"
        label="Note"
        value={note}
        onChange={setNote}
        hint="Other users see the note."
      />
    </FormDialog>
  );
}

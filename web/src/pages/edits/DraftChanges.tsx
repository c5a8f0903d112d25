// The draft by item, each with its net difference.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { useDraftQuery } from "../../components/draft/useDraft";
import { useEditing } from "../../components/editing";
import type { Change } from "../../components/editTypes";
import { ErrorView, LoadingView } from "../../components/states";
import { NetChangeView } from "./NetChangeView";
import { netChanges } from "./netChanges";
import { useLiveItems } from "./useLiveItems";

const none: Change[] = [];

export function DraftChanges({ edit }: { edit: string | undefined }) {
  const { refresh } = useEditing();
  const { tell, fail } = useNotifications();
  const draft = useDraftQuery(edit, true);
  const changes = draft.data?.items ?? none;
  const live = useLiveItems(changes);
  const drop = async (change: Change) => {
    try {
      await api.remove(`/api/v1/edits/${part(edit ?? "")}/changes/${change.number}`);
      tell({ title: `Change ${change.number} dropped` });
    } catch (failure) {
      fail(`Cannot drop change ${change.number}`, failure);
    } finally {
      refresh();
    }
  };
  return (
    <Card isCompact>
      <CardTitle component="h2">Drafted changes</CardTitle>
      <CardBody>
        {draft.error && <ErrorView error={draft.error} retry={() => void draft.refetch()} />}
        {draft.isLoading && <LoadingView what="draft" />}
        {draft.data?.items.length === 0 && (
          <p className="quiet">
            The draft is empty. Change groups, maintenance schedules, accept rules or roles on their
            pages.
          </p>
        )}
        <ol className="changes" aria-label="Drafted changes">
          {netChanges(changes, live).map((entry) => (
            <li key={entry.key}>
              <NetChangeView entry={entry} onDrop={edit ? (one) => void drop(one) : undefined} />
            </li>
          ))}
        </ol>
      </CardBody>
    </Card>
  );
}

// The changes of the draft, each as a diff.
import { Alert, Button, Card, CardBody, CardTitle, Label } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { useEditing } from "../../components/editing";
import { ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { DiffView } from "./DiffView";
import { afterOf, diffOf, whatOf } from "./diff";
import type { Change, Draft } from "./types";

const colours = { added: "green", removed: "red", changed: "blue" } as const;

export function DraftChanges({ edit }: { edit: string | undefined }) {
  const { refresh } = useEditing();
  const { tell, fail } = useNotifications();
  const draft = useQuery({
    queryKey: ["edits", "draft"],
    queryFn: ({ signal }) => api.get<Draft>("/api/v1/draft", { signal }),
    refetchInterval: 15_000,
  });
  const drop = async (change: Change) => {
    try {
      await api.remove(`/api/v1/edits/${part(edit ?? "")}/changes/${change.number}`);
      tell({ title: `Dropped: ${change.section} ${change.name}` });
    } catch (failure) {
      fail("Not dropped", failure);
    } finally {
      refresh();
    }
  };
  return (
    <Card isCompact>
      <CardTitle component="h2">Changes</CardTitle>
      <CardBody>
        {draft.error && <ErrorView error={draft.error} retry={() => void draft.refetch()} />}
        {draft.isLoading && <LoadingView what="the draft" />}
        {draft.data?.items.length === 0 && (
          <p className="quiet">
            The draft is empty. Change groups, windows, rules or roles on their pages.
          </p>
        )}
        <ol className="changes">
          {draft.data?.items.map((change) => (
            <li key={change.number}>
              <div className="change-head">
                <Label isCompact color={colours[whatOf(change)]}>
                  {whatOf(change)}
                </Label>
                <strong>
                  {change.section || change.operation} {change.name}
                </strong>
                <span className="quiet">
                  {change.operation}, {change.by}, <Time at={change.at} style="relative" />
                </span>
                {edit && (
                  <Button variant="link" size="sm" isDanger onClick={() => void drop(change)}>
                    Drop
                  </Button>
                )}
              </div>
              {change.error && (
                <Alert isInline variant="danger" component="h3" title="It could not be applied">
                  {change.error}
                </Alert>
              )}
              <DiffView
                lines={diffOf(change.before, afterOf(change))}
                label={`What becomes of ${change.section} ${change.name}`}
              />
            </li>
          ))}
        </ol>
      </CardBody>
    </Card>
  );
}

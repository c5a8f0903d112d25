// One revision: its changes, and the way to revert it.
import {
  Breadcrumb,
  BreadcrumbItem,
  Card,
  CardBody,
  CardTitle,
  Label,
} from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router-dom";
import { api, part } from "../../api/client";
import { itemTitle } from "../../components/draft/sectionNames";
import { PageFrame } from "../../components/PageFrame";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { DiffView } from "./DiffView";
import { diffOf } from "./diff";
import { RevertButton } from "./RevertButton";
import type { Differences, FullRevision } from "./types";

const labels = {
  added: { text: "Added", color: "green" },
  removed: { text: "Deleted", color: "red" },
  changed: { text: "Changed", color: "blue" },
} as const;

export function RevisionPage() {
  const { number = "" } = useParams();
  const path = `/api/v1/revisions/${part(number)}`;
  const revision = useQuery({
    queryKey: ["edits", "revision", number],
    queryFn: ({ signal }) => api.get<FullRevision>(path, { signal }),
  });
  const diff = useQuery({
    queryKey: ["edits", "diff", number],
    queryFn: ({ signal }) => api.get<Differences>(`${path}/diff`, { signal }),
  });
  const is = revision.data;
  return (
    <PageFrame
      title={`Revision ${number}`}
      above={
        <Breadcrumb>
          <BreadcrumbItem>
            <Link to="/edits">Edit sessions</Link>
          </BreadcrumbItem>
          <BreadcrumbItem>
            <Link to="/edits/history">History</Link>
          </BreadcrumbItem>
          <BreadcrumbItem isActive>{number}</BreadcrumbItem>
        </Breadcrumb>
      }
      subtitle={
        is && (
          <>
            Published by {is.made_by || "the cluster"}, <Time at={is.made} />
            {is.note && `. Note: ${is.note}.`}{" "}
            <code title={is.digest}>{is.digest.slice(0, 16)}</code>
          </>
        )
      }
      actions={is && is.kind !== "first" && <RevertButton number={is.number} />}
    >
      {revision.error && <ErrorView error={revision.error} retry={() => void revision.refetch()} />}
      {diff.error && !revision.error && (
        <ErrorView error={diff.error} retry={() => void diff.refetch()} />
      )}
      {diff.isLoading && <LoadingView what="revision" />}
      {diff.data?.items.length === 0 && (
        <EmptyView title={`No differences from revision ${diff.data.from}`} />
      )}
      <div className="edits">
        {diff.data?.items.map((difference) => (
          <Card isCompact key={`${difference.section} ${difference.name}`}>
            <CardTitle component="h2">
              <span className="change-head">
                <Label isCompact color={labels[difference.what].color}>
                  {labels[difference.what].text}
                </Label>
                {itemTitle(difference.section, difference.name)}
              </span>
            </CardTitle>
            <CardBody>
              <DiffView
                lines={diffOf(difference.before, difference.after)}
                label={itemTitle(difference.section, difference.name)}
              />
            </CardBody>
          </Card>
        ))}
      </div>
    </PageFrame>
  );
}

// One revision: what it changed.
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
import { PageFrame } from "../../components/PageFrame";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { DiffView } from "./DiffView";
import { diffOf } from "./diff";
import type { Differences, FullRevision } from "./types";

const colours = { added: "green", removed: "red", changed: "blue" } as const;

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
            {is.made_by}, <Time at={is.made} />. {is.note} <code>{is.digest.slice(0, 16)}</code>
          </>
        )
      }
    >
      {revision.error && <ErrorView error={revision.error} retry={() => void revision.refetch()} />}
      {diff.error && !revision.error && (
        <ErrorView error={diff.error} retry={() => void diff.refetch()} />
      )}
      {diff.isLoading && <LoadingView what="the revision" />}
      {diff.data?.items.length === 0 && <EmptyView title="It holds the same as the one before" />}
      <div className="edits">
        {diff.data?.items.map((difference) => (
          <Card isCompact key={`${difference.section} ${difference.name}`}>
            <CardTitle component="h2">
              <span className="change-head">
                <Label isCompact color={colours[difference.what]}>
                  {difference.what}
                </Label>
                {difference.section} {difference.name}
              </span>
            </CardTitle>
            <CardBody>
              <DiffView
                lines={diffOf(difference.before, difference.after)}
                label={`${difference.section} ${difference.name}`}
              />
            </CardBody>
          </Card>
        ))}
      </div>
    </PageFrame>
  );
}

// All jobs, the newest first.
import { Button, Flex } from "@patternfly/react-core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router-dom";
import { api } from "../../api/client";
import type { Job, Page } from "../../api/types";
import { useMay } from "../../app/session";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { count, percent } from "../../components/format";
import { Meter } from "../../components/Meter";
import { PageFrame } from "../../components/PageFrame";
import { StateLabel } from "../../components/StateLabel";
import { EmptyNote, Loading, ProblemState } from "../../components/states";
import { Time } from "../../components/Time";
import { hasEnded, standing, whatOf } from "./words";

const pageSize = 50;
const lookEvery = 5_000;

function Progress({ job }: { job: Job }) {
  if (!job.counts) return <span className="quiet">{count(job.targets)} systems</span>;
  const ended = job.ended ?? 0;
  const failed = job.counts.failed ?? 0;
  const share = job.targets === 0 ? 1 : ended / job.targets;
  const told = `${count(ended)} of ${count(job.targets)} ended${failed > 0 ? `, ${count(failed)} failed` : ""}`;
  return (
    <div className="job-progress">
      <Meter
        share={share}
        label={`${percent(share)}: ${told}`}
        kind={failed > 0 ? "bad" : "good"}
      />
      <span className="quiet">{told}</span>
    </div>
  );
}

const columns: TableColumn<Job>[] = [
  {
    key: "what",
    title: "Job",
    cell: (job) => (
      <div className="job-what">
        <Link to={`/jobs/${job.id}`}>{whatOf(job)}</Link>
        <span className="quiet">{job.note === "" ? job.id : job.note}</span>
      </div>
    ),
  },
  { key: "query", title: "Systems", cell: (job) => <code className="job-query">{job.query}</code> },
  { key: "stage", title: "State", tight: true, cell: (job) => <StateLabel {...standing(job)} /> },
  { key: "progress", title: "Progress", cell: (job) => <Progress job={job} /> },
  { key: "by", title: "By", tight: true, cell: (job) => job.by },
  {
    key: "made",
    title: "Made",
    tight: true,
    cell: (job) => <Time at={job.made} style="relative" />,
  },
];

export function JobList() {
  const mayRun = useMay("jobs.run");
  const jobs = useInfiniteQuery({
    queryKey: ["jobs", "list"],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<Job>>("/api/v1/jobs", { query: { limit: pageSize, after: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    // Counts are no events: they are asked for while something runs.
    refetchInterval: (query) =>
      query.state.data?.pages.some((page) => page.items.some((job) => !hasEnded(job)))
        ? lookEvery
        : false,
  });
  const rows = jobs.data?.pages.flatMap((page) => page.items) ?? [];
  const make = mayRun && (
    <Button component={(props) => <Link {...props} to="/jobs/new" />}>New job</Button>
  );
  return (
    <PageFrame
      title="Jobs"
      actions={
        <Flex gap={{ default: "gapSm" }}>
          <Button
            variant="secondary"
            component={(props) => <Link {...props} to="/jobs/recurring" />}
          >
            Recurring
          </Button>
          {make}
        </Flex>
      }
    >
      {jobs.error && !jobs.data && (
        <ProblemState error={jobs.error} retry={() => void jobs.refetch()} />
      )}
      {jobs.isLoading && <Loading what="jobs" />}
      {jobs.data && (
        <DataTable
          label="Jobs"
          columns={columns}
          rows={rows}
          rowKey={(job) => job.id}
          empty={
            <EmptyNote title="No jobs yet" actions={make}>
              A job runs something on a set of systems. Find systems on the search page, or make a
              job here.
            </EmptyNote>
          }
        />
      )}
      {jobs.hasNextPage && (
        <Button
          variant="link"
          isLoading={jobs.isFetchingNextPage}
          onClick={() => void jobs.fetchNextPage()}
        >
          Show older jobs
        </Button>
      )}
    </PageFrame>
  );
}

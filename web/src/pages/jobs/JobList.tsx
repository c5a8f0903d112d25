// All jobs, the newest first.
import { Button, Flex, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { Link, useSearchParams } from "react-router-dom";
import { api } from "../../api/client";
import { jobRunning } from "../../api/names";
import type { Job, Page } from "../../api/types";
import { useMay } from "../../app/session";
import { useZone } from "../../app/zone";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { count, percent } from "../../components/format";
import { Meter } from "../../components/Meter";
import { PageFrame } from "../../components/PageFrame";
import { Pager } from "../../components/Pager";
import { StateLabel } from "../../components/StateLabel";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { usePagedList } from "../../components/usePagedList";
import { WindowWaits } from "../../components/WindowWaits";
import { hasEnded, jobText, standing } from "./jobText";

const pageSize = 50;
const lookEvery = 5_000;

function Progress({ job }: { job: Job }) {
  if (!job.counts) return <span className="quiet">{count(job.targets)} systems</span>;
  const ended = job.ended ?? 0;
  const failed = job.counts.failed ?? 0;
  const share = job.targets === 0 ? 1 : ended / job.targets;
  const text = `${count(ended)} of ${count(job.targets)} finished${failed > 0 ? `, ${count(failed)} failed` : ""}`;
  return (
    <div className="job-progress">
      <Meter
        // What was cancelled or expired has ended, but nothing came of it.
        share={job.targets === 0 ? 1 : ((job.counts.completed ?? 0) + failed) / job.targets}
        label={`${percent(share)}: ${text}`}
        bad={job.targets === 0 ? 0 : failed / job.targets}
        kind="good"
      />
      <span className="quiet">{text}</span>
      {!hasEnded(job) && job.waiting !== undefined && job.waiting.length > 0 && (
        <div>
          <WindowWaits waits={job.waiting} />
        </div>
      )}
    </div>
  );
}

const columns: TableColumn<Job>[] = [
  {
    key: "what",
    title: "Job",
    cell: (job) => (
      <div className="job-what">
        <Link to={`/jobs/${job.id}`}>{jobText(job)}</Link>
        <span className="quiet">{job.note === "" ? job.id : job.note}</span>
      </div>
    ),
  },
  { key: "query", title: "Systems", cell: (job) => <code className="job-query">{job.query}</code> },
  { key: "stage", title: "State", tight: true, cell: (job) => <StateLabel {...standing(job)} /> },
  { key: "progress", title: "Progress", cell: (job) => <Progress job={job} /> },
  { key: "by", title: "Created by", tight: true, cell: (job) => job.by },
  {
    key: "made",
    title: "Created",
    tight: true,
    cell: (job) => <Time at={job.made} style="relative" />,
  },
];

// What may be asked for, and the stages that this means.
const choices: { value: string; label: string; stages?: string }[] = [
  { value: "", label: "All jobs" },
  { value: "running", label: "Running, waiting or paused", stages: jobRunning },
  { value: "halted", label: "Halted", stages: "halted" },
  { value: "done", label: "Done", stages: "done" },
  { value: "cancelled", label: "Cancelled", stages: "cancelled" },
  { value: "expired", label: "Expired", stages: "expired" },
];

export function JobList() {
  const mayRun = useMay("jobs.run");
  const { zone } = useZone();
  const [search, setSearch] = useSearchParams();
  const chosen = choices.find((choice) => choice.value === search.get("only")) ?? choices[0];
  const stage = chosen?.stages;
  const jobs = usePagedList<Page<Job>>({
    key: ["jobs", "list", stage ?? "all", zone],
    fetch: (after, signal) =>
      api.get<Page<Job>>("/api/v1/jobs", {
        query: { stage, zone, limit: pageSize, after },
        signal,
      }),
    // Counts are no events: they are asked for while something runs.
    refetchInterval: (page) => (page?.items.some((job) => !hasEnded(job)) ? lookEvery : false),
  });
  const make = mayRun && (
    <Button component={(props) => <Link {...props} to="/jobs/new" />}>Create job</Button>
  );
  return (
    <PageFrame
      title="Jobs"
      subtitle={
        zone === ""
          ? undefined
          : `Jobs with systems in zone ${zone}; they may include systems of other zones.`
      }
      actions={
        <Flex gap={{ default: "gapSm" }}>
          <Button
            variant="secondary"
            component={(props) => <Link {...props} to="/jobs/recurring" />}
          >
            Recurring schedules
          </Button>
          {make}
        </Flex>
      }
    >
      <FormSelect
        className="job-choice"
        aria-label="Filter by state"
        value={chosen?.value}
        onChange={(_, only) => setSearch(only === "" ? {} : { only }, { replace: true })}
      >
        {choices.map((choice) => (
          <FormSelectOption key={choice.value} value={choice.value} label={choice.label} />
        ))}
      </FormSelect>
      {jobs.error && !jobs.data && (
        <ErrorView error={jobs.error} retry={() => void jobs.refetch()} />
      )}
      {jobs.isLoading && <LoadingView what="jobs" />}
      {jobs.data && (
        <DataTable
          label="Jobs"
          columns={columns}
          rows={jobs.data.items}
          rowKey={(job) => job.id}
          empty={
            jobs.data.next ? (
              <EmptyView title={`No recent jobs in zone ${zone}`}>
                Older jobs are on the next page.
              </EmptyView>
            ) : stage ? (
              <EmptyView
                title={`No jobs in state “${chosen?.label}”${zone === "" ? "" : ` in zone ${zone}`}`}
              >
                Choose another state.
              </EmptyView>
            ) : zone !== "" ? (
              <EmptyView title={`No jobs in zone ${zone}`} actions={make} />
            ) : (
              <EmptyView title="No jobs yet" actions={make}>
                A job runs a command or function on a set of systems. Create a job here, or select
                systems on the Search page.
              </EmptyView>
            )
          }
        />
      )}
      <Pager turning={jobs.turning} label="Job pages" />
    </PageFrame>
  );
}

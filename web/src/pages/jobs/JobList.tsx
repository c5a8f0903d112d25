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
import { hasEnded, jobText, standing } from "./jobText";

const pageSize = 50;
const lookEvery = 5_000;

function Progress({ job }: { job: Job }) {
  if (!job.counts) return <span className="quiet">{count(job.targets)} systems</span>;
  const ended = job.ended ?? 0;
  const failed = job.counts.failed ?? 0;
  const share = job.targets === 0 ? 1 : ended / job.targets;
  const text = `${count(ended)} of ${count(job.targets)} ended${failed > 0 ? `, ${count(failed)} failed` : ""}`;
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
  { key: "by", title: "By", tight: true, cell: (job) => job.by },
  {
    key: "made",
    title: "Made",
    tight: true,
    cell: (job) => <Time at={job.made} style="relative" />,
  },
];

// What may be asked for, and the stages that this means.
const choices: { value: string; label: string; stages?: string }[] = [
  { value: "", label: "all jobs" },
  { value: "running", label: "running or paused", stages: jobRunning },
  { value: "halted", label: "halted", stages: "halted" },
  { value: "done", label: "done", stages: "done" },
  { value: "cancelled", label: "cancelled", stages: "cancelled" },
  { value: "expired", label: "expired", stages: "expired" },
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
    <Button component={(props) => <Link {...props} to="/jobs/new" />}>New job</Button>
  );
  return (
    <PageFrame
      title="Jobs"
      subtitle={zone === "" ? undefined : `With systems of ${zone}, and maybe of other zones.`}
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
      <FormSelect
        className="job-choice"
        aria-label="Which jobs"
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
              <EmptyView title={`None of the newest jobs is for systems of ${zone}`}>
                Older ones are on the next page.
              </EmptyView>
            ) : stage ? (
              <EmptyView
                title={`No jobs${zone === "" ? "" : ` for systems of ${zone}`} are ${chosen?.label}`}
              />
            ) : zone !== "" ? (
              <EmptyView title={`No jobs for systems of ${zone}`} actions={make} />
            ) : (
              <EmptyView title="No jobs yet" actions={make}>
                A job runs something on a set of systems. Find systems on the search page, or make a
                job here.
              </EmptyView>
            )
          }
        />
      )}
      <Pager turning={jobs.turning} label="Pages of jobs" />
    </PageFrame>
  );
}

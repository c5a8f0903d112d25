// What jobs did on the system: output, and how it differs from the time before.
import {
  DataList,
  DataListCell,
  DataListContent,
  DataListItem,
  DataListItemCells,
  DataListItemRow,
  DataListToggle,
  ToggleGroup,
  ToggleGroupItem,
} from "@patternfly/react-core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router-dom";
import { api } from "../../api/client";
import { jobEnded } from "../../api/names";
import type { Job, System } from "../../api/types";
import { span } from "../../components/format";
import { Output, OutputDiff } from "../../components/Output";
import { Pager } from "../../components/Pager";
import { StateLabel } from "../../components/StateLabel";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";
import { SystemWindowWait } from "../../components/WindowWaits";
import { jobText } from "../jobs/jobText";
import { queuedFirst, type Task, useTasks } from "./useTasks";

interface Running {
  items: { job: string; function?: string; since?: string }[];
}

function RunningNow({ system }: { system: System }) {
  const now = useQuery({
    queryKey: ["jobs", "running on", system.number],
    queryFn: ({ signal }) =>
      api.get<Running>(`/api/v1/systems/${system.number}/running`, { signal }),
    enabled: system.state === "onboarded",
    refetchInterval: 10_000,
  });
  if (!now.data?.items.length) return null;
  return (
    <p className="system-running">
      Running now:{" "}
      {now.data.items.map((task, n) => (
        <span key={task.job}>
          {n > 0 && ", "}
          <Link to={`/jobs/${task.job}`}>{task.function ?? task.job}</Link>
        </span>
      ))}
    </p>
  );
}

function tookOf(task: Task): string {
  if (!task.ended || !task.picked_up) return "";
  const took = (Date.parse(task.ended) - Date.parse(task.picked_up)) / 1000;
  return took < 1 ? "(took less than 1 s)" : `(took ${span(took)})`;
}

interface RowProps {
  task: Task;
  job: Job | undefined;
  before: Task | undefined; // the same work, its previous run
}

function Row({ task, job, before }: RowProps) {
  const [open, setOpen] = useState(false);
  const [view, setView] = useState<"output" | "diff">("output");
  const id = `task-${task.job}`;
  return (
    <DataListItem isExpanded={open} aria-labelledby={id}>
      <DataListItemRow>
        <DataListToggle
          id={`${id}-toggle`}
          isExpanded={open}
          aria-controls={`${id}-content`}
          buttonProps={{ "aria-label": `Output of ${job ? jobText(job) : task.job}` }}
          onClick={() => setOpen((is) => !is)}
        />
        <DataListItemCells
          dataListCells={[
            <DataListCell key="what" width={3}>
              <Link id={id} to={`/jobs/${task.job}`}>
                {job ? jobText(job) : task.job}
              </Link>
              {job?.note && <div className="quiet">{job.note}</div>}
            </DataListCell>,
            <DataListCell key="state" width={2}>
              <StateLabel state={task.state} />{" "}
              {task.state === "queued" && task.waiting && <SystemWindowWait wait={task.waiting} />}
              {task.state === "failed" && (
                <span className="quiet">
                  <TextWithTimes text={task.reason ?? ""} />
                </span>
              )}
            </DataListCell>,
            <DataListCell key="when" width={2}>
              <Time at={task.ended ?? task.picked_up} style="relative" />{" "}
              <span className="quiet">{tookOf(task)}</span>
            </DataListCell>,
          ]}
        />
      </DataListItemRow>
      <DataListContent id={`${id}-content`} isHidden={!open} aria-label="Output">
        {before && (
          <ToggleGroup aria-label="View" isCompact>
            <ToggleGroupItem
              text="Output"
              isSelected={view === "output"}
              onChange={() => setView("output")}
            />
            <ToggleGroupItem
              text="Changes since previous run"
              isSelected={view === "diff"}
              onChange={() => setView("diff")}
            />
          </ToggleGroup>
        )}
        {view === "diff" && before ? (
          <OutputDiff before={before.output} after={task.output} />
        ) : task.state === "queued" ? (
          <p className="quiet">Not started yet.</p>
        ) : (
          <Output output={task.output} />
        )}
        {task.exit_code !== undefined && task.exit_code !== null && (
          <span className="quiet">Exit code {task.exit_code} </span>
        )}
        {task.digest && (
          <a href={`/api/v1/jobs/${task.job}/payloads/${task.digest}`}>Download full result</a>
        )}
      </DataListContent>
    </DataListItem>
  );
}

// Two runs are the same work when function and arguments are equal.
function workOf(job: Job | undefined): string | undefined {
  return job && JSON.stringify([job.function, job.arguments]);
}

export function Tasks({ system }: { system: System }) {
  const number = system.number ?? 0;
  const tasks = useTasks(number);
  const all = queuedFirst(tasks.data?.items ?? []);
  const jobs = useQueries({
    queries: all.map((task) => ({
      queryKey: ["jobs", "one", task.job],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<Job>(`/api/v1/jobs/${task.job}`, { signal }),
      staleTime: (query: { state: { data?: Job } }) =>
        query.state.data && jobEnded.has(query.state.data.stage)
          ? Number.POSITIVE_INFINITY
          : 10_000,
      retry: false,
    })),
  });
  if (tasks.error) return <ErrorView error={tasks.error} retry={() => void tasks.refetch()} />;
  if (!tasks.data) return <LoadingView what="the tasks" />;
  if (all.length === 0)
    return (
      <EmptyView title="No tasks yet">
        Run a job with the Run… button above. Results appear here.
      </EmptyView>
    );
  const beforeOf = (index: number): Task | undefined => {
    const work = workOf(jobs[index]?.data);
    if (work === undefined) return undefined;
    const position = jobs.findIndex((job, at) => at > index && workOf(job.data) === work);
    return position < 0 ? undefined : all[position];
  };
  return (
    <div className="system-grid">
      <RunningNow system={system} />
      <DataList aria-label="Tasks of this system" isCompact>
        {all.map((task, index) => (
          <Row key={task.job} task={task} job={jobs[index]?.data} before={beforeOf(index)} />
        ))}
      </DataList>
      <Pager turning={tasks.turning} label="Task pages" />
    </div>
  );
}

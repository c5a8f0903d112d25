// The systems of a job, by state. Only what is scrolled to is asked for, page after page.
import {
  FormSelect,
  FormSelectOption,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from "@patternfly/react-core";
import { Link, useSearchParams } from "react-router-dom";
import { api, part } from "../../api/client";
import { count } from "../../components/format";
import { StateLabel } from "../../components/StateLabel";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { stateText } from "../../components/stateText";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";
import { useCursorList } from "../../components/useCursorList";
import { type Column, VirtualRows } from "../../components/VirtualRows";
import { summaryLine } from "./groupOutcomes";
import { type FullJob, type Outcome, type Task, type TasksPage, taskStates } from "./types";

const pageSize = 200;

function columnsOf(job: string): Column<Task>[] {
  return [
    {
      key: "name",
      title: "System",
      width: "minmax(9rem, 1.5fr)",
      cell: (task) => (
        <Link to={`/jobs/${job}/${task.system}`}>{task.name ?? `#${task.system}`}</Link>
      ),
    },
    {
      key: "state",
      title: "State",
      width: "7rem",
      cell: (task) => <StateLabel state={task.state} />,
    },
    {
      key: "told",
      title: "Result",
      width: "minmax(12rem, 4fr)",
      cell: (task) =>
        task.output === undefined ? (
          <TextWithTimes text={task.reason ?? ""} />
        ) : (
          <code title={task.reason}>{lineOf(task)}</code>
        ),
    },
    { key: "node", title: "Node", width: "8rem", cell: (task) => task.node ?? "–" },
    {
      key: "ended",
      title: "Ended",
      width: "8rem",
      cell: (task) => <Time at={task.ended} style="relative" />,
    },
  ];
}

function lineOf(task: Task): string {
  return summaryLine({ output: task.output, reason: task.reason ?? "" } as Outcome);
}

export function Tasks({ job }: { job: FullJob }) {
  const [search, setSearch] = useSearchParams();
  const state = search.get("state") ?? "";
  const tasks = useCursorList<Task, TasksPage>({
    key: ["jobs", job.id, "tasks", state],
    fetch: (after, signal) =>
      api.get<TasksPage>(`/api/v1/jobs/${part(job.id)}/tasks`, {
        query: { state, limit: pageSize, after },
        signal,
      }),
  });
  return (
    <div className="tasks">
      <Toolbar isStatic>
        <ToolbarContent>
          <ToolbarItem>
            <FormSelect
              aria-label="Filter by state"
              value={state}
              onChange={(_, chosen) =>
                setSearch(chosen === "" ? { tab: "systems" } : { tab: "systems", state: chosen }, {
                  replace: true,
                })
              }
            >
              <FormSelectOption value="" label={`All states (${count(job.targets)})`} />
              {taskStates.map((state) => (
                <FormSelectOption
                  key={state}
                  value={state}
                  label={`${stateText(state)} (${count(job.counts?.[state] ?? 0)})`}
                />
              ))}
            </FormSelect>
          </ToolbarItem>
        </ToolbarContent>
      </Toolbar>
      {tasks.error && !tasks.any && <ErrorView error={tasks.error} retry={tasks.refetch} />}
      {tasks.loading && <LoadingView what="systems" />}
      {tasks.any && (
        <VirtualRows
          label="Systems of this job"
          // What was not reached yet is drawn as waiting, some of it: pages come one after another.
          total={tasks.rows}
          columns={columnsOf(job.id)}
          rowAt={tasks.rowAt}
          onSeen={tasks.onSeen}
          rowKey={(task) => String(task.system)}
          empty={<EmptyView title="No systems in this state">Choose another state.</EmptyView>}
        />
      )}
    </div>
  );
}

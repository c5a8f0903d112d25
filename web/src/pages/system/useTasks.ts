// What jobs did on a system.
import { api } from "../../api/client";
import type { Page, TaskState, WindowWait } from "../../api/types";
import { usePagedList } from "../../components/usePagedList";

export interface Task {
  state: TaskState;
  job: string;
  attempt?: number;
  picked_up?: string;
  ended?: string;
  exit_code?: number | null;
  reason: string;
  node?: string;
  digest?: string;
  payload_size?: number;
  truncated?: boolean;
  output?: unknown;
  waiting?: Omit<WindowWait, "systems">; // of a queued one: for a maintenance window
}

// Those that have not started come first, the rest as the server has them.
export function queuedFirst(tasks: Task[]): Task[] {
  const isQueued = (task: Task) => task.state === "queued";
  return [...tasks.filter(isQueued), ...tasks.filter((task) => !isQueued(task))];
}

const pageSize = 25;

export function useTasks(number: number) {
  return usePagedList<Page<Task>>({
    key: ["jobs", "of system", number],
    fetch: (after, signal) =>
      api.get<Page<Task>>(`/api/v1/systems/${number}/tasks`, {
        query: { limit: pageSize, after },
        signal,
      }),
    refetchInterval: 10_000,
  });
}

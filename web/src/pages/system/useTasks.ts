// What jobs did on a system.
import { api } from "../../api/client";
import type { Page, TaskState } from "../../api/types";
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

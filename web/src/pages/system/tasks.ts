// What jobs did on a system.
import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { Page, TaskState } from "../../api/types";

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
  return useInfiniteQuery({
    queryKey: ["jobs", "of system", number],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<Task>>(`/api/v1/systems/${number}/tasks`, {
        query: { limit: pageSize, after: pageParam },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
    refetchInterval: 10_000,
  });
}

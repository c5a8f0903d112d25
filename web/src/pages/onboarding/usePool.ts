// Keys of one stage, in pages, in the order of their fingerprints.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { Page, System } from "../../api/types";
import { useSettled } from "../../components/useCount";

export type Stage = "pooled" | "rejected" | "deleted";

const pageSize = 200;

export function usePool(stage: Stage, query: string) {
  const settled = useSettled(query, 200);
  const pool = useInfiniteQuery({
    queryKey: ["keys", stage, settled],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<System>>("/api/v1/keys", {
        query: { state: stage, q: settled, limit: pageSize, after: pageParam },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
  // `behind`: what is shown is not yet the answer to what is written.
  return { ...pool, settled, behind: settled !== query || pool.isPlaceholderData };
}

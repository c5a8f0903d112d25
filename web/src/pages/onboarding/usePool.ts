// Keys of one stage, in the order of their fingerprints.
import { api } from "../../api/client";
import type { Page, System } from "../../api/types";
import { useDebounced } from "../../components/useCount";
import { useCursorList } from "../../components/useCursorList";

export type Stage = "pooled" | "rejected" | "deleted";

const pageSize = 200;

export function usePool(stage: Stage, query: string) {
  const settled = useDebounced(query, 200);
  const pool = useCursorList<System, Page<System>>({
    key: ["keys", stage, settled],
    fetch: (after, signal) =>
      api.get<Page<System>>("/api/v1/keys", {
        query: { state: stage, q: settled, limit: pageSize, after },
        signal,
      }),
    refetchInterval: 5_000,
  });
  // `behind`: what is shown is not yet the answer to what is written.
  return { ...pool, settled, behind: settled !== query || pool.behind };
}

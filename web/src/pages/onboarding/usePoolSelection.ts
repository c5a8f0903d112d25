// Which of the keys that are listed are selected: some one by one, or all that match.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { api } from "../../api/client";
import type { Page, System } from "../../api/types";
import type { PoolSelection } from "./poolTarget";
import type { Stage } from "./usePool";

interface ListedKeys {
  stage: Stage;
  settled: string; // the expression that is listed
  whole?: System[]; // all that match, if they are few enough to be here
  listed?: number; // how many there are without an expression, if that is known
}

const pageSize = 1000;
const pagesMost = 1000;

// The API counts no keys: they are read page by page, when somebody wants them all.
async function countKeys(stage: Stage, query: string, signal: AbortSignal): Promise<number> {
  let total = 0;
  let after = "";
  for (let page = 0; page < pagesMost; page += 1) {
    const answer = await api.get<Page<System>>("/api/v1/keys", {
      query: { state: stage, q: query, limit: pageSize, after },
      signal,
    });
    total += answer.items.length;
    if (answer.next === null) return total;
    after = answer.next;
  }
  throw new Error("Too many keys to count. Use a narrower query.");
}

export function usePoolSelection({ stage, settled, whole, listed }: ListedKeys) {
  const [picked, setPicked] = useState<Map<string, System>>(new Map());
  // All that match this expression; another one selects nothing.
  const [allOf, setAllOf] = useState<string | null>(null);
  const all = allOf === settled;
  const counted = useQuery({
    queryKey: ["key count", stage, settled],
    queryFn: ({ signal }) => countKeys(stage, settled, signal),
    enabled: all && whole === undefined,
    staleTime: 0,
    gcTime: 0,
  });
  const toggle = useCallback(
    (system: System) =>
      setPicked((now) => {
        const next = new Map(now);
        if (!next.delete(system.fingerprint)) next.set(system.fingerprint, system);
        return next;
      }),
    [],
  );
  const clear = useCallback(() => {
    setPicked(new Map());
    setAllOf(null);
  }, []);
  const selectAll = useCallback(() => {
    setPicked(new Map());
    setAllOf(settled);
  }, [settled]);
  // Those that were decided about meanwhile are not meant any more.
  const picks = useMemo(() => {
    const fingerprints = whole && new Set(whole.map((system) => system.fingerprint));
    return [...picked.values()].filter(
      (system) => !fingerprints || fingerprints.has(system.fingerprint),
    );
  }, [picked, whole]);
  const has = useCallback((system: System) => all || picked.has(system.fingerprint), [all, picked]);
  const unfiltered = settled.trim() === "" ? listed : undefined;
  const total = whole?.length ?? (all ? counted.data : unfiltered);
  const selection: PoolSelection = { all, picks, total };
  return { ...selection, selection, has, toggle, clear, selectAll, error: counted.error };
}

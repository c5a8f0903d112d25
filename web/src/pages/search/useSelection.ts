// Those picked. Of them those are meant whom the expression finds, too; the others wait until it does
// again, and how many they are is told.
import { useCallback, useEffect, useState } from "react";
import { api } from "../../api/client";
import type { System, SystemsPage } from "../../api/types";
import {
  allMatching,
  askedAtOnce,
  intersect,
  noSystems,
  type Selection,
  toggled,
  unmatchedFilter,
  updateMatches,
} from "./selection";

const againAfterMs = 3_000;

export interface SearchResult {
  query: string;
  total: number;
}

interface SelectionState {
  chosen: Selection;
  matches: Selection; // of the chosen
  by: SearchResult | null; // by which they are meant
}

async function findAgain(now: Selection, query: string, signal: AbortSignal): Promise<Selection> {
  const pages = await Promise.all(
    unmatchedFilter(now, query).map((q) =>
      api.get<SystemsPage>("/api/v1/systems", { query: { q, limit: askedAtOnce }, signal }),
    ),
  );
  return intersect(
    now,
    pages.flatMap((page) => page.items),
  );
}

// `found`: what is searched for, and how many that are; others may be meant when either changes.
export function useSelection(result: SearchResult | null) {
  const [picks, setPicks] = useState<SelectionState>({
    chosen: noSystems,
    matches: noSystems,
    by: result,
  });
  const [attempt, setAttempt] = useState(0);
  const { chosen } = picks;
  const stands = picks.by === result;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `stands` changes with `by`; another attempt loads again
  useEffect(() => {
    if (stands || result === null) return;
    const ending = new AbortController();
    const settle = (matches: Selection) => {
      if (!ending.signal.aborted) setPicks({ chosen, matches, by: result });
    };
    let later: ReturnType<typeof setTimeout> | undefined;
    // As long as it is not known who is meant, nothing can be done with them.
    const askAgain = () => {
      if (!ending.signal.aborted)
        later = setTimeout(() => setAttempt((is) => is + 1), againAfterMs);
    };
    // All that match another expression were not selected.
    if (chosen.all && picks.by?.query !== result.query)
      setPicks({ chosen: noSystems, matches: noSystems, by: result });
    else if (chosen.systems.size === 0) settle(chosen);
    else findAgain(chosen, result.query, ending.signal).then(settle, askAgain);
    return () => {
      ending.abort();
      clearTimeout(later);
    };
  }, [stands, result, chosen, attempt]);
  const selectAll = useCallback(
    () => setPicks({ chosen: allMatching, matches: allMatching, by: result }),
    [result],
  );
  const toggle = useCallback(
    (system: System) =>
      setPicks((is) => {
        const next = toggled(is.chosen, system);
        return { ...is, chosen: next, matches: updateMatches(is.matches, next, system) };
      }),
    [],
  );
  const clear = useCallback(
    () => setPicks((is) => ({ ...is, chosen: noSystems, matches: noSystems })),
    [],
  );
  return {
    chosen,
    meant: picks.matches,
    all: stands && chosen.all,
    left: stands ? chosen.systems.size - picks.matches.systems.size : 0, // picked, but not found
    stands, // not: it is being asked who of them is meant
    toggle,
    selectAll,
    clear,
  };
}

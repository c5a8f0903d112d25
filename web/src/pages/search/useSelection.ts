// Those picked. Of them those are meant whom the expression finds, too; the others wait until it does
// again, and how many they are is told.
import { useCallback, useEffect, useState } from "react";
import { api } from "../../api/client";
import type { System, SystemsPage } from "../../api/types";
import {
  askedAtOnce,
  kept,
  meansNobody,
  nobody,
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
  meant: Selection; // of the chosen
  by: SearchResult | null; // by which they are meant
}

async function findAgain(now: Selection, query: string, signal: AbortSignal): Promise<Selection> {
  const pages = await Promise.all(
    unmatchedFilter(now, query).map((q) =>
      api.get<SystemsPage>("/api/v1/systems", { query: { q, limit: askedAtOnce }, signal }),
    ),
  );
  return kept(
    now,
    pages.flatMap((page) => page.items),
  );
}

// `found`: what is searched for, and how many that are; others may be meant when either changes.
export function useSelection(found: SearchResult | null) {
  const [picks, setPicks] = useState<SelectionState>({ chosen: nobody, meant: nobody, by: found });
  const [attempt, setAttempt] = useState(0);
  const { chosen } = picks;
  const stands = picks.by === found;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again
  useEffect(() => {
    if (stands || found === null) return;
    const ending = new AbortController();
    const settle = (meant: Selection) => {
      if (!ending.signal.aborted) setPicks({ chosen, meant, by: found });
    };
    let later: ReturnType<typeof setTimeout> | undefined;
    // As long as it is not known who is meant, nothing can be done with them.
    const askAgain = () => {
      if (!ending.signal.aborted)
        later = setTimeout(() => setAttempt((is) => is + 1), againAfterMs);
    };
    if (chosen.some.size === 0) settle(nobody);
    else findAgain(chosen, found.query, ending.signal).then(settle, askAgain);
    return () => {
      ending.abort();
      clearTimeout(later);
    };
  }, [stands, found, chosen, attempt]);
  const toggle = useCallback(
    (system: System) =>
      setPicks((is) => {
        const next = toggled(is.chosen, system);
        return { ...is, chosen: next, meant: updateMatches(is.meant, next, system) };
      }),
    [],
  );
  const clear = useCallback(() => setPicks((is) => ({ ...is, chosen: nobody, meant: nobody })), []);
  return {
    chosen,
    meant: picks.meant,
    left: stands ? chosen.some.size - picks.meant.some.size : 0, // picked, but not found
    stands: stands || chosen.some.size === 0, // not: it is being asked who of them is meant
    meansNobody: stands && meansNobody(chosen, picks.meant),
    toggle,
    clear,
  };
}

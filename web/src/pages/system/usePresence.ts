// Where a system was over time, as the server has it on record.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { System } from "../../api/types";
import type { Line, Segment } from "./presence";

interface HistoryPage extends Line {
  next: string | null;
}

const pagesMost = 5; // of a thousand segments

// `cut`: it came and went more often than is read; what is told ends before now.
async function read(system: System, since: string, signal: AbortSignal) {
  const items: Segment[] = [];
  let first: HistoryPage | undefined;
  let answer: HistoryPage;
  let after = "";
  let page = 0;
  do {
    answer = await api.get<HistoryPage>(`/api/v1/systems/${system.number}/history`, {
      query: { since, limit: 1000, after },
      signal,
    });
    first ??= answer;
    items.push(...answer.items);
    after = answer.next ?? "";
    page += 1;
  } while (after !== "" && page < pagesMost);
  return { line: { since: first.since, until: answer.until, items }, cut: after !== "" };
}

// `since`: a span such as "-7d"; "" is all that is kept.
export function usePresence(system: System, since: string) {
  return useQuery({
    queryKey: ["systems", "history", system.number, since],
    queryFn: ({ signal }) => read(system, since, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000, // as often as nodes write it
    enabled: system.number !== null,
  });
}

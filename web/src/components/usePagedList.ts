// A list of which one page is shown at a time. Asking again costs that page, however long the list is.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

interface Source<P> {
  key: readonly unknown[];
  fetch: (after: string, signal: AbortSignal) => Promise<P>;
  refetchInterval?: number | ((page: P | undefined) => number | false);
}

export interface PageControls {
  number: number; // of the page, from 1 on
  busy: boolean;
  newer?: () => void; // not given: there is none
  older?: () => void;
}

export function usePagedList<P extends { next: string | null }>(source: Source<P>) {
  const id = JSON.stringify(source.key);
  // The cursors from the first page to this one. Another list begins at its own first page.
  const [held, setHeld] = useState({ id, way: [""] });
  const way = held.id === id ? held.way : [""];
  const after = way[way.length - 1] ?? "";
  const every = source.refetchInterval;
  const page = useQuery({
    queryKey: [...source.key, after],
    queryFn: ({ signal }) => source.fetch(after, signal),
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    refetchInterval:
      typeof every === "function" ? (query) => every(query.state.data) : (every ?? false),
  });
  const next = page.isPlaceholderData ? null : (page.data?.next ?? null);
  const controls: PageControls = {
    number: way.length,
    busy: page.isPlaceholderData,
    newer: way.length > 1 ? () => setHeld({ id, way: way.slice(0, -1) }) : undefined,
    older: next === null ? undefined : () => setHeld({ id, way: [...way, next] }),
  };
  return { ...page, turning: controls };
}

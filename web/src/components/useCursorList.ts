// A list that is read by cursors, as long as it likes: asks for the pages that are seen and again
// for no others, and keeps the rest as cursors only.
import { useQueries } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Answer, learnt, pagesWithin, placeOf, rowsOf, unread } from "./cursors";

interface Source<P> {
  key: readonly unknown[];
  fetch: (after: string, signal: AbortSignal) => Promise<P>;
  refetchInterval?: number;
}

const waiting = 100; // rows drawn below what was read, as long as there are more

export function useCursorList<T, P extends Answer & { items: T[] }>(source: Source<P>) {
  const id = JSON.stringify(source.key);
  const [held, setHeld] = useState({ id, cursors: unread });
  const [visibleRange, setVisibleRange] = useState<[number, number]>([0, 0]);
  let cursors = held.id === id ? held.cursors : unread;
  const [from, to] = pagesWithin(cursors, ...visibleRange);
  const visiblePages = cursors.pages.slice(from, to + 1);
  const answers = useQueries({
    queries: visiblePages.map(({ start }) => ({
      queryKey: [...source.key, start],
      queryFn: ({ signal }: { signal: AbortSignal }) => source.fetch(start, signal),
      gcTime: 30_000,
      refetchInterval: source.refetchInterval,
    })),
  });
  for (const [n, { data }] of answers.entries()) {
    // An answer is about the cursor that it was asked by.
    if (cursors.pages[from + n]?.start !== visiblePages[n]?.start) break;
    if (data) cursors = learnt(cursors, from + n, data);
  }
  useEffect(() => {
    setHeld((is) => (is.id === id && is.cursors === cursors ? is : { id, cursors }));
  }, [id, cursors]);
  const onSeen = useCallback((first: number, last: number) => {
    setVisibleRange((is) => (is[0] === first && is[1] === last ? is : [first, last]));
  }, []);

  // Until the first page of another list is here, the one before it is shown.
  const read = cursors !== unread;
  const current = { cursors, from, pages: answers.map((answer) => answer.data) };
  const last = useRef(current);
  if (read) last.current = current;
  const latest = last.current;
  const hasRows = latest.cursors !== unread;
  return {
    rows: hasRows ? rowsOf(latest.cursors, waiting) : 0,
    rowAt: (index: number): T | undefined => {
      const { page, at } = placeOf(latest.cursors, index);
      return latest.pages[page - latest.from]?.items[at];
    },
    onSeen,
    any: hasRows, // something was read
    // All that there is, if that is one page.
    whole:
      latest.cursors.pages.length === 1 && latest.cursors.end !== undefined
        ? latest.pages[0]?.items
        : undefined,
    behind: !read,
    loading: !hasRows && answers.some((answer) => answer.isLoading),
    error: answers.find((answer) => answer.error)?.error ?? null,
    refetch: () => {
      for (const answer of answers) void answer.refetch();
    },
  };
}

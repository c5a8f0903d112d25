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
  const [seen, setSeen] = useState<[number, number]>([0, 0]);
  let cursors = held.id === id ? held.cursors : unread;
  const [from, to] = pagesWithin(cursors, ...seen);
  const wanted = cursors.pages.slice(from, to + 1);
  const answers = useQueries({
    queries: wanted.map(({ start }) => ({
      queryKey: [...source.key, start],
      queryFn: ({ signal }: { signal: AbortSignal }) => source.fetch(start, signal),
      gcTime: 30_000,
      refetchInterval: source.refetchInterval,
    })),
  });
  for (const [n, { data }] of answers.entries()) {
    // An answer is about the cursor that it was asked by.
    if (cursors.pages[from + n]?.start !== wanted[n]?.start) break;
    if (data) cursors = learnt(cursors, from + n, data);
  }
  useEffect(() => {
    setHeld((is) => (is.id === id && is.cursors === cursors ? is : { id, cursors }));
  }, [id, cursors]);
  const onSeen = useCallback((first: number, last: number) => {
    setSeen((is) => (is[0] === first && is[1] === last ? is : [first, last]));
  }, []);

  // Until the first page of another list is here, the one before it is shown.
  const read = cursors !== unread;
  const here = { cursors, from, pages: answers.map((answer) => answer.data) };
  const last = useRef(here);
  if (read) last.current = here;
  const shown = last.current;
  const any = shown.cursors !== unread;
  return {
    rows: any ? rowsOf(shown.cursors, waiting) : 0,
    rowAt: (index: number): T | undefined => {
      const { page, at } = placeOf(shown.cursors, index);
      return shown.pages[page - shown.from]?.items[at];
    },
    onSeen,
    any, // something was read
    // All that there is, if that is one page.
    whole:
      shown.cursors.pages.length === 1 && shown.cursors.end !== undefined
        ? shown.pages[0]?.items
        : undefined,
    behind: !read,
    loading: !any && answers.some((answer) => answer.isLoading),
    error: answers.find((answer) => answer.error)?.error ?? null,
    refetch: () => {
      for (const answer of answers) void answer.refetch();
    },
  };
}

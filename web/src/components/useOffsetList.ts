// Pages of a long list by position: asks for those that are seen, keeps a bounded number of them.
import { useQueries } from "@tanstack/react-query";
import { useCallback, useState } from "react";

interface Source<P> {
  key: readonly unknown[];
  pageSize: number;
  fetch: (offset: number, signal: AbortSignal) => Promise<P>;
  refetchInterval?: number;
}

export function useOffsetList<P>(source: Source<P>) {
  const [visibleRange, setVisibleRange] = useState<[number, number]>([0, 0]);
  const first = Math.floor(visibleRange[0] / source.pageSize);
  const last = Math.floor(visibleRange[1] / source.pageSize);
  const pageNumbers = Array.from({ length: last - first + 1 }, (_, n) => first + n);
  const pages = useQueries({
    queries: pageNumbers.map((page) => ({
      queryKey: [...source.key, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        source.fetch(page * source.pageSize, signal),
      gcTime: 30_000,
      staleTime: 10_000,
      refetchInterval: source.refetchInterval,
    })),
  });
  const onSeen = useCallback((from: number, to: number) => {
    setVisibleRange((is) => (is[0] === from && is[1] === to ? is : [from, to]));
  }, []);
  const pageAt = (index: number): { page: P | undefined; at: number } => {
    const number = Math.floor(index / source.pageSize);
    return { page: pages[number - first]?.data, at: index % source.pageSize };
  };
  return {
    onSeen,
    pageAt,
    any: pages.find((page) => page.data !== undefined)?.data,
    error: pages.find((page) => page.error)?.error ?? null,
    loading: pages.some((page) => page.isLoading),
    refetch: () => {
      for (const page of pages) void page.refetch();
    },
  };
}

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/client";
import { askWithin } from "../api/query";
import type { Count } from "../api/types";

export function useDebounced<T>(value: T, span: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), span);
    return () => clearTimeout(timer);
  }, [value, span]);
  return debounced;
}

// How many systems an expression means, within a zone if one is said, while it is being written.
// `behind`: more was written since.
export function useCount(text: string, { zone = "", enabled = true } = {}) {
  const debounced = useDebounced(text, 150);
  const countQuery = useQuery({
    queryKey: ["systems", "count", debounced, zone],
    queryFn: ({ signal }) =>
      askWithin({ text: debounced, zone }, (query) =>
        api.get<Count>("/api/v1/systems/count", { query: { q: query }, signal }),
      ),
    placeholderData: keepPreviousData,
    enabled,
    staleTime: 2_000,
    refetchInterval: 15_000,
  });
  return { ...countQuery, behind: debounced !== text || countQuery.isPlaceholderData };
}

import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { Count } from "../../api/types";
import { count } from "../../components/format";

// The number of systems in a group. `expression` tells when to count again.
export function Members({ query, expression }: { query: string; expression: string }) {
  const countQuery = useQuery({
    queryKey: ["systems", "count", query, expression],
    queryFn: ({ signal }) =>
      api.get<Count>("/api/v1/systems/count", { query: { q: query }, signal }),
    staleTime: 15_000,
  });
  if (countQuery.error) return <span title={countQuery.error.message}>?</span>;
  return <>{countQuery.data ? count(countQuery.data.count) : ""}</>;
}

import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { word } from "../../api/query";
import type { Count, Group } from "../../api/types";
import { count } from "../../components/format";

// How many a group means now.
export function Members({ group }: { group: Group }) {
  const query = `group:${word(group.name)}`;
  const countQuery = useQuery({
    queryKey: ["systems", "count", query, group.expression],
    queryFn: ({ signal }) =>
      api.get<Count>("/api/v1/systems/count", { query: { q: query }, signal }),
    staleTime: 15_000,
  });
  if (countQuery.error) return <span title={countQuery.error.message}>?</span>;
  return <>{countQuery.data ? count(countQuery.data.count) : ""}</>;
}

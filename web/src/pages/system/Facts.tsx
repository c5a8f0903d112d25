// What a system told of itself.
import { SearchInput } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router-dom";
import { api } from "../../api/client";
import type { System } from "../../api/types";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { factRows } from "./factRows";

export interface FactsReport {
  facts: Record<string, unknown>;
  changed: string | null;
}

export function useFacts(fingerprint: string, enabled = true) {
  return useQuery({
    queryKey: ["systems", "facts", fingerprint],
    queryFn: ({ signal }) =>
      api.get<FactsReport>(`/api/v1/keys/${encodeURIComponent(fingerprint)}/facts`, { signal }),
    staleTime: 30_000,
    enabled,
  });
}

export function Facts({ system }: { system: System }) {
  const factsQuery = useFacts(system.fingerprint);
  const [filter, setFilter] = useState("");
  if (factsQuery.error)
    return <ErrorView error={factsQuery.error} retry={() => void factsQuery.refetch()} />;
  if (!factsQuery.data) return <LoadingView what="facts" />;
  const all = factRows(factsQuery.data.facts);
  if (all.length === 0)
    return (
      <EmptyView title="No facts reported yet">
        Agents report facts when they enrol and when facts change. Run <code>facts.get</code> to
        request them now.
      </EmptyView>
    );
  const lower = filter.toLowerCase();
  const visible = all.filter(
    (fact) => fact.path.toLowerCase().includes(lower) || fact.value.toLowerCase().includes(lower),
  );
  return (
    <>
      <div className="facts-head">
        <SearchInput
          aria-label="Filter facts"
          placeholder="Filter facts"
          value={filter}
          onChange={(_, text) => setFilter(text)}
          onClear={() => setFilter("")}
        />
        <span className="quiet">
          {visible.length} of {all.length}, reported{" "}
          <Time at={factsQuery.data.changed} style="relative" />
        </span>
      </div>
      <table className="facts">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {visible.map((fact) => (
            <tr key={`${fact.path} ${fact.value}`}>
              <th scope="row">
                <code>{fact.path}</code>
              </th>
              <td>
                {fact.query ? (
                  <Link
                    to={`/search?q=${encodeURIComponent(fact.query)}`}
                    title="Find systems with this value"
                  >
                    {fact.value}
                  </Link>
                ) : (
                  fact.value
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

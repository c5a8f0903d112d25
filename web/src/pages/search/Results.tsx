// The systems found: as many as there are, of which those seen are here.
import { Checkbox } from "@patternfly/react-core";
import { useMemo } from "react";
import { api } from "../../api/client";
import type { System, SystemsPage } from "../../api/types";
import { EmptyView, ErrorView } from "../../components/states";
import { useOffsetList } from "../../components/useOffsetList";
import { type Column, VirtualRows } from "../../components/VirtualRows";
import { columns } from "./columns";
import { has, type Selection } from "./selection";

const pageSize = 100;

interface Props {
  query: string;
  total: number;
  columnKeys: string[];
  picked: Selection;
  onToggle: (system: System) => void;
}

function useRows(query: string) {
  return useOffsetList<SystemsPage>({
    key: ["systems", "list", query],
    pageSize,
    fetch: (offset, signal) =>
      api.get<SystemsPage>("/api/v1/systems", {
        query: { q: query, limit: pageSize, offset },
        signal,
      }),
    refetchInterval: 15_000,
  });
}

export function Results({ query, total, columnKeys, picked, onToggle }: Props) {
  const rows = useRows(query);
  const drawn = useMemo<Column<System>[]>(
    () => [
      {
        key: "pick",
        title: "",
        width: "2rem",
        cell: (system) => (
          <Checkbox
            id={`pick-${system.fingerprint}`}
            aria-label={`Select ${system.name}`}
            isChecked={has(picked, system)}
            isDisabled={picked.all}
            onChange={() => onToggle(system)}
          />
        ),
      },
      ...columns.filter((column) => columnKeys.includes(column.key)),
    ],
    [picked, onToggle, columnKeys],
  );
  if (rows.error && !rows.any)
    return <ErrorView error={rows.error as Error} retry={rows.refetch} />;
  return (
    <VirtualRows
      label="Matching systems"
      total={total}
      columns={drawn}
      rowAt={(index) => {
        const { page, at } = rows.pageAt(index);
        return page?.items[at];
      }}
      rowKey={(system) => system.fingerprint}
      onSeen={rows.onSeen}
      empty={
        <EmptyView title="No systems match this query">
          Remove a condition, or use a pattern such as <code>web*</code>. Systems that are not
          accepted yet are on the Onboarding page.
        </EmptyView>
      }
    />
  );
}

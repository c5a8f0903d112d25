// The revision that each server holds, and which servers have drifted.
import { Label } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { useMay } from "../../app/session";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import type { ServerRevision } from "./types";

const colours = {
  current: "green",
  behind: "yellow",
  drifted: "red",
  away: "orange",
  unknown: "grey",
} as const;

const labels: Record<ServerRevision["state"], string> = {
  current: "Current",
  behind: "Behind",
  drifted: "Drifted",
  away: "Offline",
  unknown: "Unknown",
};

const columns: TableColumn<ServerRevision>[] = [
  { key: "node", title: "Server", cell: (row) => <strong>{row.node}</strong> },
  { key: "zone", title: "Zone", cell: (row) => row.zone || "–" },
  {
    key: "state",
    title: "State",
    tight: true,
    cell: (row) => (
      <Label isCompact color={colours[row.state] ?? "grey"}>
        {labels[row.state] ?? row.state}
      </Label>
    ),
  },
  {
    key: "revision",
    title: "Revision",
    numeric: true,
    tight: true,
    cell: (row) => row.revision ?? "–",
  },
  { key: "since", title: "Since", tight: true, cell: (row) => <Time at={row.since} /> },
  { key: "sections", title: "Differs in", cell: (row) => row.sections?.join(", ") || "–" },
  {
    key: "digest",
    title: "Digest",
    tight: true,
    cell: (row) => <code title={row.digest}>{row.digest?.slice(0, 12)}</code>,
  },
];

export function ServerRevisions() {
  const may = useMay("topology.read");
  const all = useQuery({
    queryKey: ["edits", "nodes"],
    queryFn: ({ signal }) => api.get<Page<ServerRevision>>("/api/v1/revisions/nodes", { signal }),
    refetchInterval: 5_000,
    enabled: may,
  });
  if (!may) return <EmptyView title="No access">You need the right topology.read.</EmptyView>;
  if (all.error && !all.data)
    return <ErrorView error={all.error} retry={() => void all.refetch()} />;
  if (!all.data) return <LoadingView what="servers" />;
  return (
    <DataTable
      label="Servers and revisions"
      columns={columns}
      rows={all.data.items}
      rowKey={(row) => row.node}
      empty={<EmptyView title="No server has reported its revision yet" />}
    />
  );
}

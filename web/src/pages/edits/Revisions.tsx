// All revisions, newest first.
import { Label } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { DataTable, type TableColumn } from "../../components/DataTable";
import type { Revision } from "../../components/editTypes";
import { count } from "../../components/format";
import { Pager } from "../../components/Pager";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { usePagedList } from "../../components/usePagedList";

const kinds: Record<Revision["kind"], string> = {
  applied: "Draft applied",
  direct: "Direct change",
  partial: "Draft partly applied",
  found: "Untracked change",
  first: "First",
};

const columns: TableColumn<Revision>[] = [
  {
    key: "number",
    title: "Revision",
    numeric: true,
    tight: true,
    cell: (row) => <Link to={`/edits/history/${row.number}`}>{row.number}</Link>,
  },
  { key: "made", title: "Published", tight: true, cell: (row) => <Time at={row.made} /> },
  { key: "by", title: "By", tight: true, cell: (row) => row.made_by || "–" },
  {
    key: "kind",
    title: "Kind",
    tight: true,
    cell: (row) => (
      <Label isCompact color={row.kind === "partial" ? "orange" : "grey"}>
        {kinds[row.kind] ?? row.kind}
      </Label>
    ),
  },
  {
    key: "changes",
    title: "Changes",
    numeric: true,
    tight: true,
    cell: (row) => count(row.changes),
  },
  { key: "note", title: "Note", cell: (row) => row.note || "–" },
  {
    key: "digest",
    title: "Digest",
    tight: true,
    cell: (row) => <code title={row.digest}>{row.digest.slice(0, 12)}</code>,
  },
];

export function Revisions() {
  const all = usePagedList<Page<Revision>>({
    key: ["edits", "revisions"],
    fetch: (after, signal) =>
      api.get<Page<Revision>>("/api/v1/revisions", { query: { after, limit: 50 }, signal }),
  });
  if (all.error && !all.data)
    return <ErrorView error={all.error} retry={() => void all.refetch()} />;
  if (!all.data) return <LoadingView what="revisions" />;
  return (
    <>
      <DataTable
        label="Revisions"
        columns={columns}
        rows={all.data.items}
        rowKey={(row) => String(row.number)}
        empty={
          <EmptyView title="No revisions yet">
            The first revision is published when common data is changed.
          </EmptyView>
        }
      />
      <Pager turning={all.turning} label="Pages of revisions" />
    </>
  );
}

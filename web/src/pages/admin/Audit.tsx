// Who did what, the last deed first.
import { Button, Form, Label } from "@patternfly/react-core";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { CopyCli } from "../../components/CopyCli";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { Field } from "../../components/Field";
import { Pager } from "../../components/Pager";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { usePagedList } from "../../components/usePagedList";
import type { AuditEntry } from "./types";

const columns: TableColumn<AuditEntry>[] = [
  { key: "at", title: "When", tight: true, cell: (row) => <Time at={row.at} /> },
  { key: "who", title: "Who", tight: true, cell: (row) => row.who || "nobody" },
  { key: "what", title: "What", tight: true, cell: (row) => <code>{row.what}</code> },
  {
    key: "outcome",
    title: "Outcome",
    tight: true,
    cell: (row) => (
      <Label isCompact color={row.outcome === "done" || row.outcome === "ok" ? "green" : "orange"}>
        {row.outcome}
      </Label>
    ),
  },
  {
    key: "detail",
    title: "About",
    cell: (row) => <span className="admin-detail">{row.detail}</span>,
  },
  { key: "origin", title: "From", tight: true, cell: (row) => <code>{row.origin}</code> },
];

export function Audit() {
  const [search, setSearch] = useSearchParams();
  const user = search.get("who") ?? "";
  const operation = search.get("what") ?? "";
  const [wish, setWish] = useState({ who: user, what: operation });
  const entries = usePagedList<Page<AuditEntry>>({
    key: ["audit", user, operation],
    fetch: (after, signal) =>
      api.get<Page<AuditEntry>>("/api/v1/audit", {
        query: { who: user, what: operation, limit: 100, after },
        signal,
      }),
  });
  const look = (event: FormEvent) => {
    event.preventDefault();
    const filters = Object.entries(wish).filter(([, text]) => text.trim() !== "");
    setSearch(Object.fromEntries(filters), { replace: true });
  };
  return (
    <>
      <Form onSubmit={look} className="audit-form" isHorizontal={false}>
        <Field
          id="audit-who"
          label="Who"
          value={wish.who}
          onChange={(text) => setWish((is) => ({ ...is, who: text }))}
        />
        <Field
          id="audit-what"
          label="What"
          value={wish.what}
          placeholder="jobs.make"
          onChange={(text) => setWish((is) => ({ ...is, what: text }))}
        />
        <Button type="submit" variant="secondary">
          Look
        </Button>
        <CopyCli
          command={commandLine(
            "muster",
            "audit",
            ...(user === "" ? [] : ["--who", user]),
            ...(operation === "" ? [] : ["--what", operation]),
          )}
        />
      </Form>
      {entries.error && !entries.data && (
        <ErrorView error={entries.error} retry={() => void entries.refetch()} />
      )}
      {entries.isLoading && <LoadingView what="the audit trail" />}
      {entries.data && (
        <DataTable
          label="Audit trail"
          columns={columns}
          rows={entries.data.items}
          rowKey={(row) => row.id}
          empty={<EmptyView title="Nobody did such a thing">Look for less.</EmptyView>}
        />
      )}
      <Pager turning={entries.turning} label="Pages of the audit trail" />
    </>
  );
}

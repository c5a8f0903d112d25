// The audit log, newest entry first.
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

const outcomes: Record<string, string> = {
  done: "Done",
  refused: "Refused",
  started: "Started",
  "partly done": "Partly done",
};

const columns: TableColumn<AuditEntry>[] = [
  { key: "at", title: "Time", tight: true, cell: (row) => <Time at={row.at} /> },
  { key: "who", title: "User", tight: true, cell: (row) => row.who || "–" },
  { key: "what", title: "Operation", tight: true, cell: (row) => <code>{row.what}</code> },
  {
    key: "outcome",
    title: "Outcome",
    tight: true,
    cell: (row) => (
      <Label isCompact color={row.outcome === "done" || row.outcome === "ok" ? "green" : "orange"}>
        {outcomes[row.outcome] ?? row.outcome}
      </Label>
    ),
  },
  {
    key: "detail",
    title: "Details",
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
  const filter = (event: FormEvent) => {
    event.preventDefault();
    const filters = Object.entries(wish).filter(([, text]) => text.trim() !== "");
    setSearch(Object.fromEntries(filters), { replace: true });
  };
  return (
    <>
      <Form onSubmit={filter} className="audit-form" isHorizontal={false}>
        <Field
          id="audit-who"
          label="User"
          value={wish.who}
          onChange={(text) => setWish((is) => ({ ...is, who: text }))}
        />
        <Field
          id="audit-what"
          label="Operation"
          value={wish.what}
          placeholder="jobs.create"
          onChange={(text) => setWish((is) => ({ ...is, what: text }))}
        />
        <Button type="submit" variant="secondary">
          Filter
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
      {entries.isLoading && <LoadingView what="audit log" />}
      {entries.data && (
        <DataTable
          label="Audit log"
          columns={columns}
          rows={entries.data.items}
          rowKey={(row) => row.id}
          empty={<EmptyView title="No audit entries match">Remove a filter.</EmptyView>}
        />
      )}
      <Pager turning={entries.turning} label="Pages of the audit log" />
    </>
  );
}

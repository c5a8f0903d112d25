// Calendar files: where they come from, replacing and fetching them again.
import { Button, Flex } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import type { Page } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { count, plural } from "../../components/format";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";
import { ReplaceDialog } from "./ReplaceDialog";
import type { CalendarRecord } from "./types";

export function Calendars() {
  const may = useMay("windows.change");
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [gone, setGone] = useState<string | null>(null);
  const [replaced, setReplaced] = useState<CalendarRecord | null>(null);
  const all = useQuery({
    queryKey: ["windows", "calendars"],
    queryFn: ({ signal }) => api.get<Page<CalendarRecord>>("/api/v1/windows/calendars", { signal }),
  });
  const act = async (title: string, work: Promise<unknown>) => {
    try {
      tell({ title: isDrafted(await work) ? "In the draft" : title });
    } catch (failure) {
      fail("Not done", failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["windows"] });
    }
  };
  const columns: TableColumn<CalendarRecord>[] = [
    { key: "label", title: "Calendar", cell: (row) => <strong>{row.label}</strong> },
    {
      key: "from",
      title: "From",
      cell: (row) =>
        row.url === "" ? (
          "uploaded"
        ) : (
          <span className="calendar-url">
            {row.url}
            <br />
            <span className="quiet">
              asked <Time at={row.fetched} style="relative" />
            </span>
          </span>
        ),
    },
    {
      key: "events",
      title: "Events",
      numeric: true,
      tight: true,
      cell: (row) => <span title={row.summaries.join(", ")}>{count(row.events)}</span>,
    },
    {
      key: "state",
      title: "State",
      cell: (row) =>
        row.last_error ? (
          <TextWithTimes text={row.last_error} />
        ) : (
          plural(row.summaries.length, "title")
        ),
    },
    {
      key: "changed",
      title: "Changed",
      cell: (row) => (
        <span>
          <Time at={row.changed} style="relative" /> by {row.changed_by}
        </span>
      ),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) =>
        may && (
          <Flex gap={{ default: "gapXs" }}>
            {row.url !== "" && (
              <Button
                variant="secondary"
                size="sm"
                onClick={() =>
                  void act(
                    `${row.label} was fetched`,
                    api.post(`/api/v1/windows/calendars/${part(row.label)}/refresh`),
                  )
                }
              >
                Fetch now
              </Button>
            )}
            <DraftAwareButton variant="secondary" size="sm" onClick={() => setReplaced(row)}>
              Replace…
            </DraftAwareButton>
            <DraftAwareButton variant="link" size="sm" isDanger onClick={() => setGone(row.label)}>
              Remove…
            </DraftAwareButton>
          </Flex>
        ),
    },
  ];
  if (all.error && !all.data)
    return <ErrorView error={all.error} retry={() => void all.refetch()} />;
  if (!all.data) return <LoadingView what="calendars" />;
  return (
    <>
      <DataTable
        label="Calendar files"
        columns={columns}
        rows={all.data.items}
        rowKey={(row) => row.label}
        empty={
          <EmptyView title="No calendar files yet">
            They come with a schedule: choose “Add schedule”.
          </EmptyView>
        }
      />
      {replaced && <ReplaceDialog calendar={replaced} onClose={() => setReplaced(null)} />}
      {gone !== null && (
        <ConfirmDialog
          title={`Remove ${gone}?`}
          action="Remove"
          danger
          onConfirm={() =>
            act(`${gone} was removed`, api.remove(`/api/v1/windows/calendars/${part(gone)}`))
          }
          onClose={() => setGone(null)}
        >
          It is refused while a schedule uses it.
        </ConfirmDialog>
      )}
    </>
  );
}

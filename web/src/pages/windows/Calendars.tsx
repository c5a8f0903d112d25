// Calendar files: their source, replacing and fetching them.
import { Button, Flex } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import type { Page } from "../../api/types";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { DraftLabel } from "../../components/draft/DraftLabel";
import { type Drafted, overlay } from "../../components/draft/overlay";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { useDraft } from "../../components/draft/useDraft";
import { count, plural } from "../../components/format";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";
import { ReplaceDialog } from "./ReplaceDialog";
import { blankCalendar, type CalendarRecord } from "./types";

const kind = {
  section: "calendars",
  nameOf: (calendar: CalendarRecord) => calendar.label,
  blank: blankCalendar,
};

// The events of drafted calendars are read when the draft is applied.
function isRead(draft: Drafted<CalendarRecord>["draft"]): boolean {
  return draft === undefined || draft === "deleted";
}

export function Calendars() {
  const may = useMay("windows.change");
  const { report, reload, fail } = useCommonChange("windows");
  const draft = useDraft();
  const [gone, setGone] = useState<string | null>(null);
  const [replaced, setReplaced] = useState<CalendarRecord | null>(null);
  const all = useQuery({
    queryKey: ["windows", "calendars"],
    queryFn: ({ signal }) => api.get<Page<CalendarRecord>>("/api/v1/windows/calendars", { signal }),
  });
  const act = async (title: string, failed: string, work: Promise<unknown>) => {
    try {
      await report(await work, { title });
    } catch (failure) {
      fail(failed, failure);
      void reload();
    } finally {
      setGone(null);
    }
  };
  const columns: TableColumn<Drafted<CalendarRecord>>[] = [
    {
      key: "label",
      title: "Calendar",
      cell: ({ row, draft }) => (
        <span>
          <strong>{row.label}</strong> <DraftLabel state={draft} />
        </span>
      ),
    },
    {
      key: "from",
      title: "Source",
      cell: ({ row, draft }) =>
        row.url === "" ? (
          "Uploaded"
        ) : (
          <span className="calendar-url">
            {row.url}
            <br />
            {isRead(draft) && (
              <span className="quiet">
                Fetched <Time at={row.fetched} style="relative" />
              </span>
            )}
          </span>
        ),
    },
    {
      key: "events",
      title: "Events",
      numeric: true,
      tight: true,
      cell: ({ row, draft }) =>
        isRead(draft) ? <span title={row.summaries.join(", ")}>{count(row.events)}</span> : "–",
    },
    {
      key: "state",
      title: "State",
      cell: ({ row, draft }) =>
        !isRead(draft) ? (
          <span className="quiet">Read when the draft is applied</span>
        ) : row.last_error ? (
          <TextWithTimes text={row.last_error} />
        ) : (
          plural(row.summaries.length, "event title")
        ),
    },
    {
      key: "changed",
      title: "Changed",
      cell: ({ row, draft }) =>
        draft === "new" ? (
          "–"
        ) : (
          <span>
            <Time at={row.changed} style="relative" /> by {row.changed_by}
          </span>
        ),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: ({ row, draft }) =>
        may &&
        draft !== "deleted" && (
          <Flex gap={{ default: "gapXs" }}>
            {row.url !== "" && isRead(draft) && (
              <Button
                variant="secondary"
                size="sm"
                onClick={() =>
                  void act(
                    `Calendar ${row.label} fetched`,
                    `Cannot fetch calendar ${row.label}`,
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
              Delete…
            </DraftAwareButton>
          </Flex>
        ),
    },
  ];
  if (all.error && !all.data)
    return <ErrorView error={all.error} retry={() => void all.refetch()} />;
  if (!all.data) return <LoadingView what="calendars" />;
  if (draft.error) return <ErrorView error={draft.error} retry={draft.retry} />;
  if (draft.pending) return <LoadingView what="draft" />;
  return (
    <>
      <DataTable
        label="Calendar files"
        columns={columns}
        rows={overlay(all.data.items, draft.changes, kind)}
        rowKey={({ row }) => row.label}
        empty={
          <EmptyView title="No calendar files yet">
            Create a maintenance schedule to add a calendar file.
          </EmptyView>
        }
      />
      {replaced && <ReplaceDialog calendar={replaced} onClose={() => setReplaced(null)} />}
      {gone !== null && (
        <ConfirmDialog
          title={`Delete calendar ${gone}?`}
          action="Delete calendar"
          danger
          onConfirm={() =>
            act(
              `Calendar ${gone} deleted`,
              `Cannot delete calendar ${gone}`,
              api.remove(`/api/v1/windows/calendars/${part(gone)}`),
            )
          }
          onClose={() => setGone(null)}
        >
          A calendar that a maintenance schedule uses cannot be deleted.
        </ConfirmDialog>
      )}
    </>
  );
}

// What became of nodes and zones, the last first.
import { FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { newestEvents } from "../../api/newest";
import type { FleetEvent } from "../../api/types";
import { useMay } from "../../app/session";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { sentenceCase } from "../../components/format";
import { StateLabel } from "../../components/StateLabel";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";

const shownMost = 1000;
const spans = [
  { value: "-1h", label: "Last hour" },
  { value: "-1d", label: "Last day" },
  { value: "-7d", label: "Last week" },
  { value: "-30d", label: "Last month" },
];

function textIn(event: FleetEvent, ...names: string[]): string {
  for (const name of names) {
    const value = event.data[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

const columns: TableColumn<FleetEvent>[] = [
  { key: "at", title: "Time", tight: true, cell: (event) => <Time at={event.at} /> },
  {
    key: "kind",
    title: "Event",
    tight: true,
    cell: (event) => (
      <StateLabel
        state={event.kind.split(".")[1] ?? ""}
        text={sentenceCase(event.kind.replace(".", " "))}
      />
    ),
  },
  {
    key: "who",
    title: "Node or server",
    cell: (event) => event.node ?? event.zone ?? textIn(event, "server"),
  },
  { key: "zone", title: "Zone", cell: (event) => event.zone ?? textIn(event, "zone") },
  {
    key: "why",
    title: "Reason",
    cell: (event) => <TextWithTimes text={textIn(event, "reason", "why")} />,
  },
];

export function History() {
  const may = useMay("events.read");
  const [since, setSince] = useState("-1d");
  const events = useQuery({
    queryKey: ["events", "topology", since],
    queryFn: ({ signal }) =>
      newestEvents({ since, kind: "node.*,zone.*,leader.*" }, shownMost, signal),
    enabled: may,
  });
  if (!may)
    return (
      <EmptyView title="Access denied">The event history requires the right events.read.</EmptyView>
    );
  return (
    <>
      <FormSelect
        className="history-span"
        aria-label="Time range"
        value={since}
        onChange={(_, is) => setSince(is)}
      >
        {spans.map((span) => (
          <FormSelectOption key={span.value} value={span.value} label={span.label} />
        ))}
      </FormSelect>
      {events.error && <ErrorView error={events.error} retry={() => void events.refetch()} />}
      {events.isLoading && <LoadingView what="events" />}
      {events.data && (
        <DataTable
          label="History of nodes and zones"
          columns={columns}
          rows={events.data}
          rowKey={(event) => event.cursor}
          empty={<EmptyView title="No node or zone events">Choose a longer time range.</EmptyView>}
        />
      )}
      {events.data?.length === shownMost && (
        <p className="quiet">Only the latest {shownMost} events are shown.</p>
      )}
    </>
  );
}

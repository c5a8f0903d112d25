// Maintenance schedules: next windows, systems, assignment.
import { Button, Flex } from "@patternfly/react-core";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { colorsFor } from "../../components/colors";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { DraftLabel } from "../../components/draft/DraftLabel";
import { type Drafted, draftedAssignments } from "../../components/draft/overlay";
import { useCommonChange } from "../../components/draft/useCommonChange";
import type { Change } from "../../components/editTypes";
import { count, plural } from "../../components/format";
import { StateLabel } from "../../components/StateLabel";
import { TimeSpan } from "../../components/Time";
import { AssignDialog } from "./AssignDialog";
import { ScheduleDialog } from "./ScheduleDialog";
import type { MaintenanceSchedule } from "./types";

interface Props {
  schedules: Drafted<MaintenanceSchedule>[];
  draft: Change[];
}

export function Schedules({ schedules, draft: changes }: Props) {
  const may = useMay("windows.change");
  const { report, reload, fail } = useCommonChange("windows");
  const [assigning, setAssigning] = useState<string | null>(null);
  const [openName, setOpenName] = useState<string | null>(null);
  const [gone, setGone] = useState<MaintenanceSchedule | null>(null);
  const tones = colorsFor(schedules.map(({ row }) => row.name));

  const remove = async (of: MaintenanceSchedule) => {
    try {
      const answer = await api.remove(`/api/v1/windows/schedules/${part(of.name)}`);
      await report(answer, { title: `Maintenance schedule ${of.name} deleted` });
    } catch (failure) {
      fail(`Cannot delete maintenance schedule ${of.name}`, failure);
      void reload();
    } finally {
      setGone(null);
    }
  };

  const columns: TableColumn<Drafted<MaintenanceSchedule>>[] = [
    {
      key: "name",
      title: "Schedule",
      cell: ({ row, draft }) => (
        <span className="schedule-name">
          <span className={`tone-dot tone-${tones.get(row.name)}`} aria-hidden="true" />
          {draft === "new" ? (
            <strong>{row.name}</strong>
          ) : (
            <Button variant="link" isInline onClick={() => setOpenName(row.name)}>
              {row.name}
            </Button>
          )}{" "}
          <DraftLabel state={draft} />
        </span>
      ),
    },
    {
      key: "state",
      title: "State",
      tight: true,
      cell: ({ row, draft }) =>
        draft === "new" ? (
          <span className="quiet">–</span>
        ) : (
          <StateLabel state={row.open ? "done" : "cancelled"} text={row.open ? "Open" : "Closed"} />
        ),
    },
    {
      key: "next",
      title: "Window",
      cell: ({ row, draft }) =>
        draft === "new" || draft === "changed" ? (
          <span className="quiet">Known after the draft is applied</span>
        ) : row.opens === null ? (
          <span className="quiet">No more windows</span>
        ) : (
          <TimeSpan opens={row.opens} closes={row.closes} />
        ),
    },
    {
      key: "calendar",
      title: "Calendar",
      cell: ({ row }) => (row.type === "none" ? "None" : `${row.calendar} (${row.type})`),
    },
    {
      key: "systems",
      title: "Systems",
      numeric: true,
      tight: true,
      cell: ({ row }) => (
        <>
          {count(row.systems)}
          {draftedAssignments(changes, row.name).map((query) => (
            <div key={query} className="quiet">
              Draft: assign to <code>{query}</code>
            </div>
          ))}
        </>
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
            <Button variant="secondary" size="sm" onClick={() => setAssigning(row.name)}>
              Assign to systems…
            </Button>
            <DraftAwareButton variant="link" size="sm" isDanger onClick={() => setGone(row)}>
              Delete…
            </DraftAwareButton>
          </Flex>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label="Maintenance schedules"
        columns={columns}
        rows={schedules}
        rowKey={({ row }) => row.name}
      />
      {may && (
        <p className="calendar-foot">
          <Button variant="link" isInline onClick={() => setAssigning("")}>
            Remove schedules from systems…
          </Button>
        </p>
      )}
      {openName !== null && <ScheduleDialog name={openName} onClose={() => setOpenName(null)} />}
      {assigning !== null && (
        <AssignDialog schedule={assigning} onClose={() => setAssigning(null)} />
      )}
      {gone && (
        <ConfirmDialog
          title={`Delete maintenance schedule ${gone.name}?`}
          action="Delete schedule"
          danger
          typed={gone.systems > 0 ? gone.name : undefined}
          onConfirm={() => remove(gone)}
          onClose={() => setGone(null)}
        >
          {gone.systems > 0
            ? `${plural(gone.systems, "system")} will have no maintenance schedule and may be changed at any time.`
            : "No systems use this schedule."}
        </ConfirmDialog>
      )}
    </>
  );
}

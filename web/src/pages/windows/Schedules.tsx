// Maintenance schedules: next windows, who has them, giving them to systems.
import { Button, Flex } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { colorsFor } from "../../components/colors";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { count, plural } from "../../components/format";
import { StateLabel } from "../../components/StateLabel";
import { TimeSpan } from "../../components/Time";
import { AssignDialog } from "./AssignDialog";
import { ScheduleDialog } from "./ScheduleDialog";
import type { MaintenanceSchedule } from "./types";

export function Schedules({ schedules }: { schedules: MaintenanceSchedule[] }) {
  const may = useMay("windows.change");
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [assigning, setAssigning] = useState<string | null>(null);
  const [openName, setOpenName] = useState<string | null>(null);
  const [gone, setGone] = useState<MaintenanceSchedule | null>(null);
  const tones = colorsFor(schedules.map((schedule) => schedule.name));

  const remove = async (of: MaintenanceSchedule) => {
    try {
      const answer = await api.remove(`/api/v1/windows/schedules/${part(of.name)}`);
      tell({ title: isDrafted(answer) ? "In the draft" : `${of.name} was removed` });
    } catch (failure) {
      fail("Not removed", failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["windows"] });
    }
  };

  const columns: TableColumn<MaintenanceSchedule>[] = [
    {
      key: "name",
      title: "Schedule",
      cell: (row) => (
        <span className="schedule-name">
          <span className={`tone-dot tone-${tones.get(row.name)}`} aria-hidden="true" />
          <Button variant="link" isInline onClick={() => setOpenName(row.name)}>
            {row.name}
          </Button>
        </span>
      ),
    },
    {
      key: "state",
      title: "Now",
      tight: true,
      cell: (row) => (
        <StateLabel state={row.open ? "done" : "cancelled"} text={row.open ? "open" : "closed"} />
      ),
    },
    {
      key: "next",
      title: "Window",
      cell: (row) =>
        row.opens === null ? (
          <span className="quiet">none any more</span>
        ) : (
          <TimeSpan opens={row.opens} closes={row.closes} />
        ),
    },
    {
      key: "calendar",
      title: "Calendar",
      cell: (row) => (row.type === "none" ? "none" : `${row.calendar} (${row.type})`),
    },
    {
      key: "systems",
      title: "Systems",
      numeric: true,
      tight: true,
      cell: (row) => count(row.systems),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) =>
        may && (
          <Flex gap={{ default: "gapXs" }}>
            <Button variant="secondary" size="sm" onClick={() => setAssigning(row.name)}>
              Give to systems…
            </Button>
            <DraftAwareButton variant="link" size="sm" isDanger onClick={() => setGone(row)}>
              Remove…
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
        rowKey={(row) => row.name}
      />
      {may && (
        <p className="calendar-foot">
          <Button variant="link" isInline onClick={() => setAssigning("")}>
            Take schedules away from systems…
          </Button>
        </p>
      )}
      {openName !== null && <ScheduleDialog name={openName} onClose={() => setOpenName(null)} />}
      {assigning !== null && (
        <AssignDialog schedule={assigning} onClose={() => setAssigning(null)} />
      )}
      {gone && (
        <ConfirmDialog
          title={`Remove ${gone.name}?`}
          action="Remove"
          danger
          typed={gone.systems > 0 ? gone.name : undefined}
          onConfirm={() => remove(gone)}
          onClose={() => setGone(null)}
        >
          {gone.systems > 0
            ? `${plural(gone.systems, "system")} will have no schedule then: they may be changed at any time.`
            : "No system has it."}
        </ConfirmDialog>
      )}
    </>
  );
}

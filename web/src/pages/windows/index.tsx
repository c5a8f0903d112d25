// Maintenance windows: when they are, whose they are, what runs in them.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Route, Routes, useParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { CopyCli } from "../../components/CopyCli";
import { PageFrame } from "../../components/PageFrame";
import { PageTabs } from "../../components/PageTabs";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { AddSchedule } from "./AddSchedule";
import { Calendars } from "./Calendars";
import { CalendarView } from "./CalendarView";
import { PlannedJobs } from "./PlannedJobs";
import { Policy } from "./Policy";
import { Schedules } from "./Schedules";
import type { MaintenanceSchedule } from "./types";
import "./windows.css";

export default function Windows() {
  return (
    <Routes>
      <Route index element={<WindowsPage />} />
      <Route path=":tab" element={<WindowsPage />} />
    </Routes>
  );
}

function WindowsPage() {
  const { tab = "calendar" } = useParams();
  const [adding, setAdding] = useState(false);
  const all = useQuery({
    queryKey: ["windows", "schedules"],
    queryFn: ({ signal }) => api.get<Page<MaintenanceSchedule>>("/api/v1/windows", { signal }),
    refetchInterval: 30_000,
  });
  const schedules = all.data?.items ?? [];
  const none = all.data && schedules.length === 0;
  const add = <AddSchedule isOpen={adding} onOpen={setAdding} />;
  const unlessEmpty = (content: ReactNode) => {
    if (!all.data) return all.error ? null : <LoadingView what="windows" />;
    if (!none) return content;
    return (
      <EmptyView title="No maintenance schedules yet" actions={add}>
        Upload a calendar file (iCalendar), or name the address of one. Its events are the windows
        in which systems may be changed.
      </EmptyView>
    );
  };
  return (
    <PageFrame
      title="Windows"
      subtitle="When systems may be changed. One without a schedule may be at any time."
      actions={
        <>
          <CopyCli command={commandLine("muster", "windows")} />
          {!none && add}
        </>
      }
    >
      {all.error && !all.data && <ErrorView error={all.error} retry={() => void all.refetch()} />}
      <PageTabs
        label="About windows"
        base="/windows"
        open={tab}
        tabs={[
          {
            key: "calendar",
            title: "Calendar",
            show: () => unlessEmpty(<CalendarView schedules={schedules} />),
          },
          {
            key: "schedules",
            title: "Schedules",
            show: () => unlessEmpty(<Schedules schedules={schedules} />),
          },
          { key: "calendars", title: "Calendar files", show: () => <Calendars /> },
          { key: "plans", title: "What will run", show: () => <PlannedJobs /> },
          { key: "policy", title: "Policy", show: () => <Policy /> },
        ]}
      />
    </PageFrame>
  );
}

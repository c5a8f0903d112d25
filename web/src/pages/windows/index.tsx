// Maintenance: windows, schedules, their systems, and the jobs that wait for windows.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Route, Routes, useParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { CopyCli } from "../../components/CopyCli";
import { overlay } from "../../components/draft/overlay";
import { useDraft } from "../../components/draft/useDraft";
import { PageFrame } from "../../components/PageFrame";
import { PageTabs } from "../../components/PageTabs";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { AddSchedule } from "./AddSchedule";
import { Calendars } from "./Calendars";
import { CalendarView } from "./CalendarView";
import { PlannedJobs } from "./PlannedJobs";
import { Policy } from "./Policy";
import { Schedules } from "./Schedules";
import { blankSchedule, type MaintenanceSchedule } from "./types";
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
  const draft = useDraft();
  const live = all.data?.items ?? [];
  const schedules = overlay(live, draft.changes, {
    section: "windows",
    nameOf: (schedule) => schedule.name,
    blank: blankSchedule,
  });
  const none = all.data && !draft.pending && schedules.length === 0;
  const add = <AddSchedule isOpen={adding} onOpen={setAdding} />;
  const unlessEmpty = (content: ReactNode) => {
    if (draft.error) return <ErrorView error={draft.error} retry={draft.retry} />;
    if (!all.data || draft.pending)
      return all.error && !all.data ? null : <LoadingView what="maintenance schedules" />;
    if (!none) return content;
    return (
      <EmptyView title="No maintenance schedules yet" actions={add}>
        Upload a calendar file (iCalendar), or enter the URL of one. Its events are the maintenance
        windows in which systems may be changed.
      </EmptyView>
    );
  };
  return (
    <PageFrame
      title="Maintenance"
      subtitle="When systems may be changed. Without a schedule: at any time."
      actions={
        <>
          <CopyCli command={commandLine("muster", "windows")} />
          {!none && add}
        </>
      }
    >
      {all.error && !all.data && <ErrorView error={all.error} retry={() => void all.refetch()} />}
      <PageTabs
        label="Maintenance views"
        base="/windows"
        open={tab}
        tabs={[
          {
            key: "calendar",
            title: "Calendar",
            show: () => unlessEmpty(<CalendarView schedules={live} draft={draft.changes} />),
          },
          {
            key: "schedules",
            title: "Schedules",
            show: () => unlessEmpty(<Schedules schedules={schedules} draft={draft.changes} />),
          },
          { key: "calendars", title: "Calendar files", show: () => <Calendars /> },
          { key: "plans", title: "Planned jobs", show: () => <PlannedJobs /> },
          { key: "policy", title: "Policy", show: () => <Policy /> },
        ]}
      />
    </PageFrame>
  );
}

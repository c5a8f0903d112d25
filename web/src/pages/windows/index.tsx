// Maintenance windows: when they are, whose they are, what runs in them.
import { Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Route, Routes, useNavigate, useParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { CopyCli } from "../../components/CopyCli";
import { PageFrame } from "../../components/PageFrame";
import { EmptyNote, Loading, ProblemState } from "../../components/states";
import { AddSchedule } from "./AddSchedule";
import { Calendars } from "./Calendars";
import { CalendarView } from "./CalendarView";
import { Plans } from "./Plans";
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
  const go = useNavigate();
  const [adding, setAdding] = useState(false);
  const all = useQuery({
    queryKey: ["windows", "schedules"],
    queryFn: ({ signal }) => api.get<Page<MaintenanceSchedule>>("/api/v1/windows", { signal }),
    refetchInterval: 30_000,
  });
  const schedules = all.data?.items ?? [];
  const none = all.data && schedules.length === 0;
  const add = <AddSchedule isOpen={adding} onOpen={setAdding} />;
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
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => go(`/windows/${key}`)}
        aria-label="About windows"
        className="windows-tabs"
      >
        <Tab eventKey="calendar" title={<TabTitleText>Calendar</TabTitleText>} />
        <Tab eventKey="schedules" title={<TabTitleText>Schedules</TabTitleText>} />
        <Tab eventKey="calendars" title={<TabTitleText>Calendar files</TabTitleText>} />
        <Tab eventKey="plans" title={<TabTitleText>What will run</TabTitleText>} />
        <Tab eventKey="policy" title={<TabTitleText>Policy</TabTitleText>} />
      </Tabs>
      {all.error && !all.data && (
        <ProblemState error={all.error} retry={() => void all.refetch()} />
      )}
      {all.isLoading && <Loading what="windows" />}
      {none && (tab === "calendar" || tab === "schedules") && (
        <EmptyNote title="No maintenance schedules yet" actions={add}>
          Upload a calendar file (iCalendar), or name the address of one. Its events are the windows
          in which systems may be changed.
        </EmptyNote>
      )}
      {all.data && !none && tab === "calendar" && <CalendarView schedules={schedules} />}
      {all.data && !none && tab === "schedules" && <Schedules schedules={schedules} />}
      {tab === "calendars" && <Calendars />}
      {tab === "plans" && <Plans />}
      {tab === "policy" && <Policy />}
    </PageFrame>
  );
}

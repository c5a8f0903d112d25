import type { Schedule } from "../../api/types";
import type { Forecast } from "../jobs/types";
import type { Span } from "./calendarLayout";

export interface MaintenanceSchedule extends Schedule {
  changed: string;
  changed_by: string;
}

// A schedule that only the draft has: its windows are known once the draft is applied.
export function blankSchedule(name: string): MaintenanceSchedule {
  const unknown = {
    systems: 0,
    open: false,
    opens: null,
    closes: null,
    changed: "",
    changed_by: "",
  };
  return { name, type: "", calendar: "", ...unknown };
}

export function blankCalendar(label: string): CalendarRecord {
  const unknown = { fetched: null, last_error: null, events: 0, changed: "", changed_by: "" };
  return { label, url: "", summaries: [], ...unknown };
}

export interface CalendarRecord {
  label: string;
  url: string;
  fetched: string | null;
  last_error: string | null;
  events: number;
  summaries: string[];
  changed: string;
  changed_by: string;
  text?: string;
  replanned?: { job: string; was: string; verdict: string; to?: string }[];
  replaced_jobs?: unknown[];
}

export interface Sheet {
  items: Span[];
  more: boolean;
  before: string | null;
  after: string | null;
}

export interface Plan {
  job: string;
  function: string;
  query: string;
  by: string;
  note: string;
  stage: string;
  at: string | null;
  targets: number;
  waiting: number;
  forecast: Forecast | null;
}

export interface Assigned {
  systems: number;
  had_another: number;
  cancelled_jobs: unknown[];
}

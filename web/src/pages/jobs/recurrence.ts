// A run that recurs, as it is written, and as the request it becomes.
import { withinZone } from "../../api/query";

export interface Recurrence {
  name: string;
  active: boolean;
  next: string | null;
  query: string;
  function: string;
  arguments: unknown;
  zone: string; // of time
  maintenance_only: boolean;
  changed_by: string;
  at?: string;
  cron?: string;
  rrule?: string;
}

export type Timing = "cron" | "rrule" | "at";
export type RecurringWork = "command" | "deploy" | "other"; // other: it stays as it is

const deploys = "configuration.deploy";

export interface RecurrenceForm {
  name: string;
  timing: Timing;
  when: string; // a cron line or a rule; of `at` what an <input type="datetime-local"> has
  clocks: string; // by which zone's clocks
  query: string;
  work: RecurringWork;
  command: string;
  inWindows: boolean;
}

export function emptyRecurring(clocks: string): RecurrenceForm {
  return {
    name: "",
    timing: "cron",
    when: "30 2 * * *",
    clocks,
    query: "",
    work: "command",
    command: "",
    inWindows: true,
  };
}

// A moment as <input type="datetime-local"> has it, in the browser's zone.
function localInput(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function recurrenceFormOf(row: Recurrence): RecurrenceForm {
  const args = row.arguments as Record<string, unknown> | null;
  const none = Object.keys(args ?? {}).length === 0;
  const plain = row.function === "cmd.run" && Object.keys(args ?? {}).join() === "cmd";
  const command = plain && typeof args?.cmd === "string" ? args.cmd : undefined;
  const timing: Timing = row.cron ? "cron" : row.rrule ? "rrule" : "at";
  const at = new Date(row.at ?? "");
  return {
    name: row.name,
    timing,
    when: row.cron || row.rrule || (Number.isNaN(at.getTime()) ? "" : localInput(at)),
    clocks: row.zone,
    query: row.query,
    work: command !== undefined ? "command" : row.function === deploys && none ? "deploy" : "other",
    command: command ?? "",
    inWindows: row.maintenance_only,
  };
}

export function recurringReady(wish: RecurrenceForm): boolean {
  const { name, when, query, work, command } = wish;
  const written = [name, when, query, ...(work === "command" ? [command] : [])];
  return written.every((field) => field.trim() !== "");
}

function workOf({ work, command }: RecurrenceForm): Record<string, unknown> {
  if (work === "command") return { function: "cmd.run", arguments: { cmd: command } };
  return work === "deploy" ? { function: deploys, arguments: {} } : {};
}

// `zone`: the one that is chosen for all pages; the query of a run means systems of it only.
export function recurringBody(wish: RecurrenceForm, zone: string): Record<string, unknown> {
  const when =
    wish.timing === "at"
      ? { at: new Date(wish.when).toISOString().replace(/\.\d+Z$/, "Z") }
      : { [wish.timing]: wish.when.trim(), zone: wish.clocks.trim() };
  return {
    ...when,
    query: withinZone(wish.query.trim(), zone),
    ...workOf(wish),
    maintenance_only: wish.inWindows,
  };
}

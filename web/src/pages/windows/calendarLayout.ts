// A month or a week of windows, laid out by the days of the user's own zone. Pure.

export interface Span {
  schedule: string;
  opens: string;
  closes: string;
}

export type View = "month" | "week";

// The part of a window that lies in one day.
export interface DaySegment extends Span {
  begins: boolean; // the window opens on this day
  ends: boolean;
  from: number; // where on the clock of a day, 0…1
  to: number;
  text: string;
}

export function midnight(of: Date): Date {
  return new Date(of.getFullYear(), of.getMonth(), of.getDate());
}

// Days of a calendar, not spans of 24 hours: clocks change.
export function plusDays(day: Date, count: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + count);
}

function monday(of: Date): Date {
  return plusDays(of, -((of.getDay() + 6) % 7));
}

// The days that are shown around one: whole weeks from Monday on.
export function daysShown(date: Date, view: View): Date[] {
  const first =
    view === "week" ? monday(date) : monday(new Date(date.getFullYear(), date.getMonth(), 1));
  if (view === "week") return Array.from({ length: 7 }, (_, n) => plusDays(first, n));
  const last = new Date(date.getFullYear(), date.getMonth() + 1, 0);
  const days: Date[] = [];
  for (let day = first; day <= last || days.length % 7 !== 0; day = plusDays(day, 1))
    days.push(day);
  return days;
}

export function step(date: Date, view: View, by: 1 | -1): Date {
  return view === "week"
    ? plusDays(date, 7 * by)
    : new Date(date.getFullYear(), date.getMonth() + by, 1);
}

function clock(at: Date): string {
  return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
}

const dayHours = 24;

// Where a moment stands beside the hours of a day, by the clock on the wall: what opens at 03:00 stands
// at 03:00, also on a day of 23 or 25 hours.
export function shareOf(at: Date): number {
  return (at.getHours() + at.getMinutes() / 60 + at.getSeconds() / 3600) / dayHours;
}

function endShare(from: number, opens: Date, closes: Date): number {
  const to = shareOf(closes);
  // The clock was put back in between: as long as it takes.
  if (to <= from) return from + (closes.getTime() - opens.getTime()) / (dayHours * 3600_000);
  return to;
}

export function segmentsOf(day: Date, spans: Span[]): DaySegment[] {
  const end = plusDays(day, 1);
  const pieces: DaySegment[] = [];
  for (const span of spans) {
    const opens = new Date(span.opens);
    const closes = new Date(span.closes);
    if (opens >= end || closes <= day) continue;
    const begins = opens >= day;
    const ends = closes <= end;
    const atMidnight = closes.getTime() === end.getTime();
    const last = atMidnight ? "24:00" : clock(closes);
    const from = begins ? shareOf(opens) : 0;
    pieces.push({
      ...span,
      begins,
      ends,
      from,
      to: ends && !atMidnight ? endShare(from, begins ? opens : day, closes) : 1,
      text: begins
        ? ends
          ? `${clock(opens)}–${last}`
          : `from ${clock(opens)}`
        : ends
          ? `until ${last}`
          : "all day",
    });
  }
  return pieces.sort((a, b) => a.from - b.from || a.schedule.localeCompare(b.schedule));
}

// Windows that are open at the same time stand beside each other: each piece's lane, and how many
// lanes a day has.
export function layoutColumns(pieces: DaySegment[]): { lanes: number[]; count: number } {
  const ends: number[] = [];
  const lanes = pieces.map((segment) => {
    const free = ends.findIndex((end) => end <= segment.from);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = segment.to;
    return lane;
  });
  return { lanes, count: Math.max(1, ends.length) };
}

export function titleOf(date: Date, view: View): string {
  if (view === "month")
    return new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric" }).format(date);
  const days = daysShown(date, "week");
  const text = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
  return text.formatRange(days[0] ?? date, days[6] ?? date);
}

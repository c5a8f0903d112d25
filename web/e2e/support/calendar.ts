// Calendars as they are uploaded.

function stamp(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, "");
}

// On a whole minute.
export function hoursFromNow(hours: number): Date {
  const minute = 60_000;
  return new Date(Math.floor(Date.now() / minute) * minute + hours * 60 * minute);
}

// The same window every day.
export function daily(summary: string, opens: Date, hours: number): string {
  const closes = new Date(opens.getTime() + hours * 3_600_000);
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//muster//test//EN",
    "BEGIN:VEVENT",
    `UID:${summary}`,
    "DTSTAMP:20260101T000000Z",
    `DTSTART:${stamp(opens)}`,
    `DTEND:${stamp(closes)}`,
    "RRULE:FREQ=DAILY",
    `SUMMARY:${summary}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

// The maintenance windows of a month or a week, by schedule.
import { Button, Flex, ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import AngleLeftIcon from "@patternfly/react-icons/dist/esm/icons/angle-left-icon";
import AngleRightIcon from "@patternfly/react-icons/dist/esm/icons/angle-right-icon";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client";
import { colorsFor } from "../../components/colors";
import type { Change } from "../../components/editTypes";
import { localTime, utcTime } from "../../components/format";
import { ErrorView } from "../../components/states";
import { Time } from "../../components/Time";
import { useNow } from "../../components/useNow";
import {
  type DaySegment,
  daysShown,
  layoutColumns,
  midnight,
  plusDays,
  segmentsOf,
  shareOf,
  step,
  titleOf,
  type View,
} from "./calendarLayout";
import type { MaintenanceSchedule, Sheet } from "./types";

interface Props {
  schedules: MaintenanceSchedule[]; // live
  draft: Change[];
}

export function CalendarView({ schedules, draft }: Props) {
  const now = useNow();
  const [date, setDate] = useState(() => midnight(new Date()));
  const [view, setView] = useState<View>("month");
  const [hidden, setHidden] = useState<Set<string>>(new Set());
  const days = daysShown(date, view);
  const from = days[0] ?? date;
  const to = plusDays(days[days.length - 1] ?? date, 1);
  const sheet = useQuery({
    queryKey: ["windows", "sheet", from.toISOString(), to.toISOString()],
    queryFn: ({ signal }) =>
      api.get<Sheet>("/api/v1/windows/calendar", {
        query: { from: iso(from), to: iso(to) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const tones = colorsFor(schedules.map((schedule) => schedule.name));
  const spans = sheet.data?.items.filter((span) => !hidden.has(span.schedule)) ?? [];
  const jump = (at: string | null | undefined) => at && setDate(midnight(new Date(at)));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const toggle = (name: string) =>
    setHidden((is) => {
      const next = new Set(is);
      if (!next.delete(name)) next.add(name);
      return next;
    });
  return (
    <div className="calendar">
      <Flex
        justifyContent={{ default: "justifyContentSpaceBetween" }}
        alignItems={{ default: "alignItemsCenter" }}
        className="calendar-head"
      >
        <Flex gap={{ default: "gapSm" }} alignItems={{ default: "alignItemsCenter" }}>
          <Button
            variant="plain"
            aria-label={`Previous ${view}`}
            icon={<AngleLeftIcon />}
            onClick={() => setDate(step(date, view, -1))}
          />
          <h2 className="calendar-title" aria-live="polite">
            {titleOf(date, view)}
          </h2>
          <Button
            variant="plain"
            aria-label={`Next ${view}`}
            icon={<AngleRightIcon />}
            onClick={() => setDate(step(date, view, 1))}
          />
          <Button variant="secondary" size="sm" onClick={() => setDate(midnight(new Date()))}>
            Today
          </Button>
        </Flex>
        <ToggleGroup aria-label="Calendar range" isCompact>
          {(["month", "week"] as const).map((option) => (
            <ToggleGroupItem
              key={option}
              text={option === "month" ? "Month" : "Week"}
              buttonId={`view-${option}`}
              isSelected={view === option}
              onChange={() => setView(option)}
            />
          ))}
        </ToggleGroup>
      </Flex>
      <ul className="calendar-legend" aria-label="Schedules">
        {schedules.map((schedule) => (
          <li key={schedule.name}>
            <button
              type="button"
              className="calendar-key"
              aria-pressed={!hidden.has(schedule.name)}
              title={hidden.has(schedule.name) ? "Show" : "Hide"}
              onClick={() => toggle(schedule.name)}
            >
              <span className={`tone-dot tone-${tones.get(schedule.name)}`} aria-hidden="true" />
              {schedule.name}
              {schedule.open && <span className="calendar-open"> open now</span>}
            </button>
          </li>
        ))}
      </ul>
      {draft.some(({ section }) => section === "windows" || section === "calendars") && (
        <p className="quiet">This calendar shows live windows, without the changes of the draft.</p>
      )}
      {sheet.error && <ErrorView error={sheet.error} retry={() => void sheet.refetch()} />}
      {view === "month" ? (
        <Month days={days} date={date} spans={spans} tones={tones} now={now} />
      ) : (
        <Week days={days} spans={spans} tones={tones} now={now} />
      )}
      <Flex
        justifyContent={{ default: "justifyContentSpaceBetween" }}
        className="calendar-foot quiet"
      >
        <span>
          Times are in {zone}; UTC on hover.
          {sheet.data?.more && " Some windows are not shown."}
        </span>
        <span>
          {sheet.data?.before && (
            <Button variant="link" isInline onClick={() => jump(sheet.data.before)}>
              Earlier windows, latest <Time at={sheet.data.before} />
            </Button>
          )}{" "}
          {sheet.data?.after && (
            <Button variant="link" isInline onClick={() => jump(sheet.data.after)}>
              Later windows, next <Time at={sheet.data.after} />
            </Button>
          )}
        </span>
      </Flex>
    </div>
  );
}

function iso(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, "Z");
}

function hoverOf(piece: DaySegment): string {
  const [opens, closes] = [new Date(piece.opens), new Date(piece.closes)];
  return `${piece.schedule}: ${localTime(opens)} – ${localTime(closes)} (${utcTime(opens)} – ${utcTime(closes)})`;
}

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short" });
const wholeDay = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" });

interface GridProps {
  days: Date[];
  spans: Sheet["items"];
  tones: Map<string, number>;
  now: Date;
}

const shownOfDay = 4;

function Month({ days, date, spans, tones, now }: GridProps & { date: Date }) {
  const today = midnight(now).getTime();
  const weeks = Array.from({ length: days.length / 7 }, (_, n) => days.slice(n * 7, n * 7 + 7));
  return (
    <table className="month" aria-label={titleOf(date, "month")}>
      <thead>
        <tr>
          {days.slice(0, 7).map((day) => (
            <th key={day.getDay()} scope="col">
              {weekday.format(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]?.toISOString()}>
            {week.map((day) => (
              <Day
                key={day.toISOString()}
                day={day}
                pieces={segmentsOf(day, spans)}
                tones={tones}
                isToday={day.getTime() === today}
                isOutside={day.getMonth() !== date.getMonth()}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  day: Date;
  pieces: DaySegment[];
  tones: Map<string, number>;
  isToday: boolean;
  isOutside: boolean;
}

function Day({ day, pieces, tones, isToday, isOutside }: DayProps) {
  const names = ["month-day", isToday && "month-today", isOutside && "month-outside"];
  return (
    <td className={names.filter(Boolean).join(" ")}>
      <span className="month-number" title={wholeDay.format(day)}>
        {day.getDate()}
        {isToday && <span className="visually-hidden"> today</span>}
      </span>
      <ul>
        {pieces.slice(0, shownOfDay).map((segment) => (
          <li
            key={`${segment.schedule} ${segment.opens}`}
            className={`month-piece tone tone-${tones.get(segment.schedule) ?? 7}`}
            title={hoverOf(segment)}
          >
            <span>{segment.schedule}</span> <span>{segment.text}</span>
          </li>
        ))}
        {pieces.length > shownOfDay && (
          <li className="quiet">and {pieces.length - shownOfDay} more</li>
        )}
      </ul>
    </td>
  );
}

function Week({ days, spans, tones, now }: GridProps) {
  const today = midnight(now).getTime();
  const hours = Array.from({ length: 8 }, (_, n) => n * 3);
  return (
    <section className="week" aria-label="Week" tabIndex={0}>
      <div className="week-hours" aria-hidden="true">
        {hours.map((hour) => (
          <span key={hour}>{String(hour).padStart(2, "0")}:00</span>
        ))}
      </div>
      {days.map((day) => {
        const pieces = segmentsOf(day, spans);
        const { lanes, count } = layoutColumns(pieces);
        return (
          <section
            key={day.toISOString()}
            className={day.getTime() === today ? "week-day week-today" : "week-day"}
            aria-label={wholeDay.format(day)}
          >
            <h3>
              {weekday.format(day)} {day.getDate()}
            </h3>
            <ul className="week-port">
              {day.getTime() === today && (
                <li className="week-now" style={{ top: `${shareOf(now) * 100}%` }}>
                  <span className="visually-hidden">now</span>
                </li>
              )}
              {pieces.map((segment, n) => (
                <li
                  key={`${segment.schedule} ${segment.opens}`}
                  className={`week-piece tone tone-${tones.get(segment.schedule) ?? 7}`}
                  title={hoverOf(segment)}
                  style={{
                    top: `${segment.from * 100}%`,
                    height: `${Math.max(2, (segment.to - segment.from) * 100)}%`,
                    left: `${((lanes[n] ?? 0) / count) * 100}%`,
                    width: `${100 / count}%`,
                  }}
                >
                  <span>{segment.schedule}</span> <span>{segment.text}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </section>
  );
}

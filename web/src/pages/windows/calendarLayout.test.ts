import { expect, test } from "vitest";
import {
  daysShown,
  layoutColumns,
  plusDays,
  type Span,
  segmentsOf,
  step,
  titleOf,
} from "./calendarLayout";

const day = new Date(2026, 10, 16);

function span(from: Date, to: Date, schedule = "nights"): Span {
  return { schedule, opens: from.toISOString(), closes: to.toISOString() };
}

test("a month is whole weeks from Monday on that hold all of its days", () => {
  for (let month = 0; month < 36; month += 1) {
    const date = new Date(2025, month, 15);
    const days = daysShown(date, "month");
    expect(days.length % 7).toBe(0);
    expect(days[0]?.getDay()).toBe(1);
    const own = days.filter((day) => day.getMonth() === date.getMonth());
    expect(own.length).toBe(new Date(2025, month + 1, 0).getDate());
    expect(days.length).toBeLessThanOrEqual(42);
  }
});

test("a week has seven different days, also when clocks change", () => {
  const days = daysShown(new Date(2026, 9, 25), "week").map((day) => day.getDate());
  expect(new Set(days).size).toBe(7);
});

test("a window over midnight is a piece on both days", () => {
  const night = span(new Date(2026, 10, 16, 22), new Date(2026, 10, 17, 2));
  const [first] = segmentsOf(day, [night]);
  const [second] = segmentsOf(plusDays(day, 1), [night]);
  expect(first).toMatchObject({ begins: true, ends: false, text: "from 22:00", to: 1 });
  expect(second).toMatchObject({ begins: false, ends: true, text: "until 02:00", from: 0 });
  expect(segmentsOf(plusDays(day, 2), [night])).toEqual([]);
});

test("one that ends at midnight is no piece of the next day", () => {
  const evening = span(new Date(2026, 10, 16, 20), new Date(2026, 10, 17));
  expect(segmentsOf(day, [evening])[0]?.text).toBe("20:00–24:00");
  expect(segmentsOf(plusDays(day, 1), [evening])).toEqual([]);
});

// The tests' clocks are those of Berlin (vite.config.ts).
const spring = new Date(2026, 2, 29); // 02:00 is 03:00
const autumn = new Date(2026, 9, 25); // 03:00 is 02:00
const hour = 3_600_000;

test("days of 23 and of 25 hours are there", () => {
  expect(plusDays(spring, 1).getTime() - spring.getTime()).toBe(23 * hour);
  expect(plusDays(autumn, 1).getTime() - autumn.getTime()).toBe(25 * hour);
});

test("on days when clocks change windows stand beside the hours of the clock", () => {
  for (const day of [spring, autumn]) {
    const night = span(
      new Date(day.getFullYear(), day.getMonth(), day.getDate(), 1),
      new Date(day.getFullYear(), day.getMonth(), day.getDate(), 18),
    );
    const [piece] = segmentsOf(day, [night]);
    expect(piece).toMatchObject({ from: 1 / 24, to: 18 / 24, text: "01:00–18:00" });
    const [whole] = segmentsOf(day, [span(day, plusDays(day, 1))]);
    expect(whole).toMatchObject({ from: 0, to: 1, text: "00:00–24:00" });
  }
});

test("a window while the clock is put back is as long as it takes", () => {
  const opens = new Date("2026-10-25T00:30:00Z"); // 02:30, for the first time
  const [piece] = segmentsOf(autumn, [span(opens, new Date(opens.getTime() + hour / 2))]);
  const [later] = segmentsOf(autumn, [span(opens, new Date(opens.getTime() + 2 * hour))]);

  expect(piece?.text).toBe("02:30–02:00");
  expect(piece?.from).toBeCloseTo(2.5 / 24);
  expect(piece?.to).toBeCloseTo(3 / 24);
  expect(later?.to).toBeCloseTo(3.5 / 24);
});

test("windows that are open at the same time never share a lane", () => {
  const at = (from: number, to: number, name: string) =>
    span(new Date(2026, 10, 16, from), new Date(2026, 10, 16, to), name);
  const pieces = segmentsOf(day, [at(1, 4, "a"), at(2, 3, "b"), at(3, 6, "c"), at(5, 7, "d")]);
  const { lanes, count } = layoutColumns(pieces);
  expect(count).toBe(2);
  for (let i = 0; i < pieces.length; i += 1)
    for (let j = i + 1; j < pieces.length; j += 1) {
      const [first, two] = [pieces[i], pieces[j]];
      if (first && two && first.from < two.to && two.from < first.to)
        expect(lanes[i]).not.toBe(lanes[j]);
    }
});

test("a step is a month or a week", () => {
  expect(step(new Date(2026, 0, 31), "month", 1).getMonth()).toBe(1);
  expect(step(day, "week", -1).getDate()).toBe(9);
});

test("titles name what is shown", () => {
  expect(titleOf(day, "month")).toBe("November 2026");
  expect(titleOf(day, "week")).toContain("16");
});

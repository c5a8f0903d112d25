import { expect, test } from "vitest";
import {
  bytes,
  localSpan,
  localTime,
  opensText,
  percent,
  plural,
  relative,
  shortCount,
  span,
  utcTime,
} from "./format";

const noon = new Date("2026-11-16T12:00:00Z");

test("spans are told in two units at most", () => {
  expect([0, 59, 61, 3600, 7500, 90_000, 864_000].map(span)).toEqual([
    "0 s",
    "59 s",
    "1 min 1 s",
    "1 h",
    "2 h 5 min",
    "25 h",
    "10 d",
  ]);
});

test("times are told from now on, before and behind", () => {
  expect(relative(new Date("2026-11-16T11:57:00Z"), noon)).toBe("3 min ago");
  expect(relative(new Date("2026-11-16T14:00:00Z"), noon)).toBe("in 2 h");
  expect(relative(new Date("2026-11-16T11:51:17Z"), noon)).toBe("8 min ago");
  expect(relative(new Date("2026-11-16T11:59:30Z"), noon)).toBe("30 s ago");
  expect(relative(noon, noon)).toBe("now");
});

test("a time is in the user's zone, and in UTC when asked", () => {
  expect(localTime(noon, "Europe/Berlin")).toContain("13:00:00");
  expect(utcTime(noon)).toBe("2026-11-16 12:00:00 UTC");
});

test("a window opens at a time, on a day if that is not today", () => {
  const opens = (at: string) => opensText(new Date(at), noon, "Europe/Berlin");

  expect(opens("2026-11-16T22:30:00Z")).toBe("23:30");
  expect(opens("2026-11-16T23:30:00Z")).toBe("Tue 17 Nov, 00:30");
});

test("counts are short only when they are long", () => {
  expect(shortCount(12_345)).toBe("12,345");
  expect(shortCount(1_000_000)).toBe("1M");
  expect(plural(1, "system")).toBe("1 system");
  expect(plural(1000, "system")).toBe("1,000 systems");
});

test("a share that is there is never told as nothing", () => {
  expect(percent(0.0001)).toBe("<1 %");
  expect(percent(0)).toBe("0 %");
});

test("sizes have units of 1024", () => {
  expect(bytes(49_364_992)).toBe("47.1 MiB");
  expect(bytes(512)).toBe("512 B");
});

test("a window within a day names that day once", () => {
  const [from, to] = [new Date("2026-11-16T21:00:00Z"), new Date("2026-11-16T22:30:00Z")];

  expect(localSpan(from, to, "UTC")).toEqual(["16 Nov 2026, 21:00", "22:30"]);
});

test("a window over midnight names both days, as they are in the zone", () => {
  const [from, to] = [new Date("2026-11-16T21:00:00Z"), new Date("2026-11-16T22:30:00Z")];

  expect(localSpan(from, to, "Africa/Maputo")).toEqual([
    "16 Nov 2026, 23:00",
    "17 Nov 2026, 00:30",
  ]);
});

import { expect, test } from "vitest";
import { currentTime, noteServerTime } from "./serverTime";

const local = Date.parse("2026-11-18T08:00:00Z");

function at(text: string): string {
  return new Date(Date.parse(`2026-11-18T${text}Z`)).toISOString();
}

test("a slow browser clock is corrected by the newest time of the server", () => {
  noteServerTime(at("08:10:00"), local);
  expect(currentTime(local).toISOString()).toBe(at("08:10:00"));

  noteServerTime(at("07:00:00"), local + 1_000);
  expect(currentTime(local + 1_000).toISOString()).toBe(at("08:10:01"));
});

test("the correction ends when the browser's clock was set right", () => {
  const right = local + 600_000;
  noteServerTime(at("08:10:00"), local);
  noteServerTime(at("08:10:00"), right);

  expect(currentTime(right).getTime()).toBe(right);
});

test("what is no time changes nothing", () => {
  const before = currentTime(local).getTime();
  noteServerTime(undefined, local);
  noteServerTime("soon", local);

  expect(currentTime(local).getTime()).toBe(before);
});

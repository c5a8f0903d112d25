import { expect, test } from "vitest";
import { isMoment, parseTimes } from "./parseTimes";

test("moments are found in a sentence, however they are written", () => {
  const sentence = "away since 2026-11-16 22:00:00 UTC; the next one opens at 2026-11-17T01:30:00Z";

  expect(parseTimes(sentence)).toEqual([
    { text: "away since " },
    { text: "2026-11-16 22:00:00 UTC", at: "2026-11-16T22:00:00Z" },
    { text: "; the next one opens at " },
    { text: "2026-11-17T01:30:00Z", at: "2026-11-17T01:30:00Z" },
  ]);
});

test("words without a moment stay as they are", () => {
  for (const text of [
    "exit code 3",
    "released 2026-11-16",
    "at 22:00:00 UTC",
    "2026-13-45T25:00:00Z",
  ])
    expect(parseTimes(text)).toEqual([{ text: text }]);

  expect(parseTimes("")).toEqual([]);
});

test("a fraction of a second belongs to its moment", () => {
  expect(parseTimes("2026-11-16T22:00:00.123Z.").map((part) => part.at ?? part.text)).toEqual([
    "2026-11-16T22:00:00Z",
    ".",
  ]);
});

test("a value is a moment if it is nothing else", () => {
  expect(isMoment("2026-11-16T22:00:00Z")).toBe(true);
  expect(isMoment("at 2026-11-16T22:00:00Z")).toBe(false);
  expect(isMoment(4)).toBe(false);
});

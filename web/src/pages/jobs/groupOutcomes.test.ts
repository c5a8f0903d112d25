import { expect, test } from "vitest";
import { groupOutcomes, maskVariableParts, summaryLine, textOf } from "./groupOutcomes";
import type { Outcome } from "./types";

function outcome(overrides: Partial<Outcome>): Outcome {
  return {
    state: "failed",
    exit_code: 1,
    reason: "exit code 1",
    count: 1,
    digest: null,
    payload_size: 0,
    examples: [],
    ...overrides,
  };
}

function failed(stderr: string, count = 1): Outcome {
  return outcome({ count, digest: stderr, output: { stdout: "", stderr } });
}

test("lines that differ by numbers, addresses, times and hex are alike", () => {
  expect(maskVariableParts("connect to 10.0.0.7:5432 refused")).toBe(
    maskVariableParts("connect to 10.99.0.12:5432 refused"),
  );
  expect(maskVariableParts("2026-11-16T10:00:00Z pid 17 died")).toBe(
    maskVariableParts("2027-01-01 08:15:59 pid 99120 died"),
  );
  expect(maskVariableParts("bad checksum 8f2d11aa90")).toBe(
    maskVariableParts("bad checksum 00ab12ff34"),
  );
});

test("lines that differ by words are not alike", () => {
  expect(maskVariableParts("disk full on /dev/sda1")).not.toBe(
    maskVariableParts("disk lost on /dev/sda1"),
  );
  expect(maskVariableParts("the facade decade")).toBe("the facade decade");
});

test("similar failures are one kind, the most frequent kind first", () => {
  const kinds = groupOutcomes([
    failed("disk full on /dev/sda1"),
    failed("no such host db1", 3),
    failed("no such host db2", 2),
  ]);
  expect(kinds.map((group) => [group.title, group.count, group.outcomes.length])).toEqual([
    ["no such host db1", 5, 2],
    ["disk full on /dev/sda1", 1, 1],
  ]);
});

test("failures come before successes, however many those are", () => {
  const kinds = groupOutcomes([
    outcome({ state: "completed", exit_code: 0, count: 1000, digest: "aa", output: "fine" }),
    failed("no"),
  ]);
  expect(kinds.map((group) => group.state)).toEqual(["failed", "completed"]);
});

test("successes with different output stay apart", () => {
  const of = (digest: string, text: string) =>
    outcome({ state: "completed", exit_code: 0, digest, output: { stdout: text, stderr: "" } });
  expect(groupOutcomes([of("a", "version 1"), of("b", "version 2")])).toHaveLength(2);
});

test("the counts of all kinds sum to those of all outcomes", () => {
  const outcomes = Array.from({ length: 200 }, (_, n) => failed(`error ${n % 7} in part ${n}`, n));
  const sum = groupOutcomes(outcomes).reduce((all, group) => all + group.count, 0);
  expect(sum).toBe(outcomes.reduce((all, outcome) => all + outcome.count, 0));
});

test("errors tell more than output, and the reason is told when there is neither", () => {
  expect(summaryLine(outcome({ output: { stdout: "a\nb\n", stderr: "" } }))).toBe("b");
  expect(summaryLine(outcome({ output: { stdout: "a\n", stderr: "warn\nbroken\n\n" } }))).toBe(
    "broken",
  );
  expect(summaryLine(outcome({ reason: "it was away" }))).toBe("it was away");
});

test("whatever a function returned can be read as text", () => {
  expect(textOf("plain").out).toBe("plain");
  expect(textOf(undefined).out).toBe("");
  expect(textOf({ answer: 42 }).out).toContain("42");
});

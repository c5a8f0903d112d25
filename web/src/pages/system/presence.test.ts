import { expect, test } from "vitest";
import {
  attachedSince,
  barsOf,
  changesOf,
  type Line,
  type Segment,
  sharesOf,
  shareWords,
} from "./presence";

function segment(from: string, until: string | null, overrides: Partial<Segment>): Segment {
  const day = "2026-11-16T";
  return {
    from: `${day}${from}:00Z`,
    until: until && `${day}${until}:00Z`,
    state: "onboarded",
    node: "alpha",
    reason: null,
    ...overrides,
  };
}

const line: Line = {
  since: "2026-11-16T00:00:00Z",
  until: "2026-11-16T10:00:00Z",
  items: [
    segment("00:00", "05:00", {}),
    segment("05:00", "05:01", { state: "orphan", reason: "silent" }),
    segment("05:01", "09:00", { node: "beta" }),
    segment("09:00", "09:30", { node: "gamma" }),
    segment("09:30", null, { state: "unknown", reason: "nothing was heard of its node" }),
  ],
};

test("a minute away is seen in a line of many hours", () => {
  const bars = barsOf(line, 20);

  expect(bars.map((bar) => bar.state)).toEqual(["onboarded", "orphan", "onboarded", "unknown"]);
  expect(bars[1]?.from).toBeCloseTo(0.5);
  expect(bars.reduce((sum, bar) => sum + bar.width, 0)).toBeCloseTo(1);
});

test("what nobody told is not shown as there", () => {
  const gap = { ...line, items: [segment("00:00", "01:00", {})] };

  expect(barsOf(gap, 10).map((bar) => bar.state)).toEqual(["onboarded", "unknown"]);
});

test("the bars are as many as there is room for, however often it came and went", () => {
  const items = Array.from({ length: 6000 }, (_, n): Segment => {
    const at = (second: number) => new Date(Date.parse(line.since) + second * 1000).toISOString();
    const state = n % 2 === 0 ? "onboarded" : "orphan";
    return { from: at(n * 6), until: at(n * 6 + 6), state, node: "alpha", reason: null };
  });

  expect(barsOf({ ...line, items }, 200)).toHaveLength(1);
});

test("shares are of the time, and nearly always is not always", () => {
  const shares = sharesOf(line);

  expect(shares.map((share) => share.state)).toEqual(["onboarded", "unknown", "orphan"]);
  expect(shares[0]?.share).toBeCloseTo(569 / 600);
  expect(shareWords({ state: "onboarded", share: 0.99999 })).toBe("attached 99.9 %");
  expect(shareWords({ state: "onboarded", share: 1 })).toBe("attached 100 %");
});

test("changes are told from the last one back, without the line's own beginning", () => {
  expect(changesOf(line, 10).map((change) => change.text)).toEqual([
    "Nothing was heard of its node",
    "Moved from beta to gamma",
    "Attached to beta",
    "Detached from alpha: silent",
  ]);
  expect(changesOf(line, 2)).toHaveLength(2);
});

test("a system is attached since its last attachment, unless that is older than the record", () => {
  const items = [segment("00:00", "01:00", {}), segment("01:00", "02:00", { state: "orphan" })];
  const now = { ...segment("02:00", "03:00", { node: "beta" }), until: null };

  expect(attachedSince({ ...line, items: [...items, now] })).toEqual({
    at: now.from,
    node: "beta",
  });
  expect(attachedSince({ ...line, items })).toBeUndefined();
  expect(attachedSince({ ...line, items: [{ ...now, from: line.since }] })).toBeUndefined();
});

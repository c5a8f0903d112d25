import { expect, test } from "vitest";
import { heightMost, hiddenBefore, leastWidth } from "./rows";

const rowHeight = 40;
const shownRows = Math.floor(heightMost / rowHeight);
const of = { total: 1_000_000, shownRows, rowHeight, seen: 600 };

test("the end of the scroll bar is the end of a million rows", () => {
  const way = shownRows * rowHeight - of.seen;

  expect(hiddenBefore(0, of)).toBe(0);
  expect(hiddenBefore(way, of)).toBe(1_000_000 - shownRows);
});

test("further down are never earlier rows", () => {
  let last = -1;
  for (let at = 0; at <= heightMost; at += 9_973) {
    const first = Math.floor(at / rowHeight) + hiddenBefore(at, of);
    expect(first).toBeGreaterThanOrEqual(last);
    last = first;
  }
});

test("a list that fits is drawn as it is", () => {
  expect(hiddenBefore(4000, { ...of, total: 500, shownRows: 500 })).toBe(0);
});

test("every row is at least as wide as its columns and what is between them", () => {
  expect(leastWidth(["2rem", "minmax(8rem, 2fr)", "1fr"])).toBe(2 + 8 + 1.5 + 1.5);
  expect(leastWidth([])).toBe(1.5);
});

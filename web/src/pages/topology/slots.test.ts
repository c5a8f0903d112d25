import { expect, test } from "vitest";
import { countsOf, movesBetween, pixelsOf, slotCount, tableOf } from "./slots";
import type { SlotRuns } from "./types";

function runs(epoch: number, ...ranges: [number, number, number][]): SlotRuns {
  return { zone: "z", epoch, nodes: ["a", "b", "c"], runs: ranges };
}

const even = runs(1, [8192, 0, 1], [8192, 1, 1]);

test("runs become one owner a slot", () => {
  const table = tableOf(runs(3, [10, 0, 1], [4, -1, 0], [slotCount - 14, 2, 3]));
  expect(table.owners).toHaveLength(slotCount);
  expect([table.owners[9], table.owners[10], table.owners[14]]).toEqual(["a", "", "c"]);
  expect([...countsOf(table).values()].reduce((sum, count) => sum + count, 0)).toBe(slotCount);
});

test("more runs than there are slots are not believed", () => {
  expect(tableOf(runs(1, [1e9, 0, 1])).owners).toHaveLength(slotCount);
});

test("what changed its owner is a move, counted by giver and taker", () => {
  const after = runs(2, [8000, 0, 1], [192, 2, 2], [8000, 1, 1], [192, 2, 2]);
  const moves = movesBetween(tableOf(even), tableOf(after), new Date(0));
  expect(moves.map(({ from, to, slots }) => [from, to, slots])).toEqual([
    ["a", "c", 192],
    ["b", "c", 192],
  ]);
});

test("the same epoch is the same table", () => {
  expect(movesBetween(tableOf(even), tableOf(even), new Date(0))).toEqual([]);
});

test("each slot is a cell in its owner's colour", () => {
  const pixels = pixelsOf(tableOf(even), new Map([["a", [1, 2, 3]]]), [9, 9, 9]);
  expect([...pixels.slice(0, 4)]).toEqual([1, 2, 3, 255]);
  expect([...pixels.slice(-4)]).toEqual([9, 9, 9, 255]);
});

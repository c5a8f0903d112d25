import { expect, test } from "vitest";
import { actionsFor, stateOf } from "./actions";
import type { NodeRecord } from "./types";

function node(overrides: Partial<NodeRecord>): NodeRecord {
  return { name: "n", state: "serving", there: true, address: "", slots: 5, ...overrides };
}
const verbs = (overrides: Partial<NodeRecord>) =>
  actionsFor(node(overrides)).map((action) => action.verb);

test("a node goes from the pool by staging and accepting", () => {
  expect(verbs({ state: "pooled", slots: 0 })).toEqual(["stage", "remove"]);
  expect(verbs({ state: "staged", slots: 0 })).toEqual(["accept", "remove"]);
});

test("only one that has nothing to serve can be removed", () => {
  expect(verbs({})).toEqual(["drain"]);
  expect(verbs({ leaving: true })).toEqual(["undrain"]);
  expect(verbs({ leaving: true, slots: 0 })).toEqual(["undrain", "remove"]);
});

test("one that is missing can be given up", () => {
  expect(verbs({ state: "suspect" })).toContain("evict");
  expect(verbs({ state: "serving" })).not.toContain("evict");
});

test("a server that is no node can do nothing of this", () => {
  expect(verbs({ state: "no node", slots: undefined })).toEqual([]);
});

test("draining ends when the last slot is gone", () => {
  expect(stateOf(node({ leaving: true }))).toBe("draining");
  expect(stateOf(node({ leaving: true, slots: 0 }))).toBe("drained");
  expect(stateOf(node({ state: "faulty" }))).toBe("faulty");
});

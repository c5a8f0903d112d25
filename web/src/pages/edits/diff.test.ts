import { expect, test } from "vitest";
import type { Change } from "../../components/editTypes";
import { afterOf, diffOf, textOf, whatOf } from "./diff";

function change(overrides: Partial<Change>): Change {
  return {
    number: 1,
    operation: "groups.replace",
    section: "groups",
    name: "web",
    arguments: {},
    by: "anna",
    edit: "e-1",
    at: "",
    before: null,
    error: null,
    ...overrides,
  };
}

test("a change adds, removes or changes an item", () => {
  expect(whatOf(change({}))).toBe("added");
  expect(whatOf(change({ before: { expression: "web*" } }))).toBe("changed");
  expect(whatOf(change({ operation: "groups.remove", before: {} }))).toBe("removed");
  expect(whatOf(change({ operation: "system.custominfo.deleteKey", before: {} }))).toBe("removed");
});

test("what a request does not name stays", () => {
  const draftChange = change({
    before: { expression: "web*", description: "old" },
    arguments: { name: "web", description: "new" },
  });
  expect(afterOf(draftChange)).toEqual({ expression: "web*", description: "new" });
});

test("a diff shows what goes and what comes", () => {
  const lines = diffOf({ a: 1, b: "x" }, { b: "x", a: 2 });
  expect(lines.map((line) => `${line.kind} ${line.text}`)).toEqual([
    "removed a: 1",
    "added a: 2",
    "same b: x",
  ]);
});

test("equal items have equal text, whatever the order of their members", () => {
  expect(textOf({ a: 1, b: [2] })).toBe(textOf({ b: [2], a: 1 }));
});

test("texts of several lines are shown by lines", () => {
  expect(textOf({ text: "BEGIN\r\nEND\r\n" })).toBe("text:\n  BEGIN\n  END");
});

test("what is removed has no text after", () => {
  const draftChange = change({ operation: "groups.remove", before: { expression: "web*" } });
  expect(
    diffOf(draftChange.before, afterOf(draftChange)).every((line) => line.kind === "removed"),
  ).toBe(true);
});

test("a diff of a list shows which entry came", () => {
  const lines = diffOf({ rights: ["jobs.read"] }, { rights: ["jobs.read", "jobs.run"] });
  expect(lines.map((line) => `${line.kind} ${line.text}`)).toEqual([
    "same rights:",
    "same   jobs.read",
    "added   jobs.run",
  ]);
  expect(textOf({ tags: [] })).toBe("tags: none");
});

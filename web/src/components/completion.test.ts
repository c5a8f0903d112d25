import { expect, test } from "vitest";
import { complete, take } from "./completion";

const terms = { zones: ["munich", "new york"], groups: ["shop"], nodes: ["n1"], tags: ["db"] };
const texts = (text: string, caret = text.length) =>
  complete(text, caret, terms).proposals.map((proposal) => proposal.text);

test("an empty box offers fields, and no operator but not", () => {
  expect(texts("")).toContain("tag:");
  expect(texts("")).not.toContain("and ");
});

test("behind a condition operators come first", () => {
  expect(texts("tag:db ")[0]).toBe("and ");
});

test("behind an operator no other one is offered", () => {
  expect(texts("tag:db and ")).not.toContain("or ");
});

test("values are those that the cluster has, quoted where they must be", () => {
  expect(texts("zone:")).toEqual(["zone:munich ", 'zone:"new york" ']);
  expect(texts("zone:m")).toEqual(["zone:munich "]);
  expect(texts("not state:or")).toEqual(["state:orphan "]);
});

test("the word at the caret is replaced, and what follows stays", () => {
  const text = "ta and group:shop";
  const completion = complete(text, 2, terms);
  const result = take(text, completion, { text: "tag:", about: "" });

  expect(result).toEqual({ text: "tag: and group:shop", caret: 4 });
});

test("no value that is written in full is proposed again", () => {
  expect(texts("group:shop")).toEqual([]);
});

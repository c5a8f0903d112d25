import { expect, test } from "vitest";
import type { System } from "../../api/types";
import {
  allMatching,
  has,
  intersect,
  noSystems,
  targetOf,
  toggled,
  unmatchedFilter,
  updateMatches,
} from "./selection";

const web1 = { fingerprint: "aa", number: 1, name: "web1" } as System;
const web2 = { fingerprint: "bb", number: 2, name: "web2" } as System;

test("picking twice is not picking", () => {
  const once = toggled(noSystems, web1);

  expect(has(once, web1)).toBe(true);
  expect(has(toggled(once, web1), web1)).toBe(false);
});

test("all that match are meant when they were selected", () => {
  expect(has(allMatching, web1)).toBe(true);
  expect(targetOf(allMatching, "tag:db", 1_000_000)).toEqual({ query: "tag:db", count: 1_000_000 });
});

test("with nothing selected nobody is meant", () => {
  expect(targetOf(noSystems, "tag:db", 1_000_000)).toMatchObject({ count: 0, fingerprints: [] });
});

test("those picked are meant, and nobody else", () => {
  const selection = toggled(toggled(noSystems, web1), web2);

  expect(targetOf(selection, "tag:db", 100).fingerprints).toEqual(["aa", "bb"]);
});

test("picking one after everybody begins anew", () => {
  const selection = toggled(allMatching, web1);

  expect(targetOf(selection, "*", 100).count).toBe(1);
});

test("of those picked they stay who are found by another expression, too", () => {
  const selection = toggled(toggled(noSystems, web1), web2);

  expect([...intersect(selection, [web2]).systems.keys()]).toEqual(["bb"]);
  expect(intersect(selection, [])).toEqual(noSystems);
});

test("whoever is not picked any more is not meant, also when nobody was found", () => {
  const before = toggled(toggled(noSystems, web1), web2);

  const after = toggled(before, web1);
  expect(updateMatches(noSystems, after, web1)).toEqual(noSystems);
  expect(updateMatches(before, after, web1)).toEqual(after);
  expect(updateMatches(noSystems, before, web2)).toEqual(toggled(noSystems, web2));
});

test("picks of whom nobody is found do not mean everybody", () => {
  const selection = toggled(noSystems, web1);

  expect(targetOf(intersect(selection, [web2]), "*", 100).count).toBe(0);
  expect(targetOf(intersect(selection, [web1]), "*", 100).count).toBe(1);
});

test("those picked are looked for within what an expression means", () => {
  const selection = toggled(toggled(noSystems, web1), web2);

  expect(unmatchedFilter(selection, "tag:db or web*")).toEqual([
    "( tag:db or web* ) and ( number:1 or number:2 )",
  ]);
  expect(unmatchedFilter(selection, "*")).toEqual(["number:1 or number:2"]);
});

test("however many are picked, no expression gets too long", () => {
  let many = noSystems;
  for (let n = 0; n < 250; n += 1)
    many = toggled(many, { fingerprint: `f${n}`, number: n, name: `web${n}` } as System);

  expect(unmatchedFilter(many, "tag:db")).toHaveLength(3);
});

import { expect, test } from "vitest";
import type { System } from "../../api/types";
import {
  has,
  kept,
  meansNobody,
  nobody,
  targetOf,
  toggled,
  unmatchedFilter,
  updateMatches,
} from "./selection";

const web1 = { fingerprint: "aa", number: 1, name: "web1" } as System;
const web2 = { fingerprint: "bb", number: 2, name: "web2" } as System;

test("picking twice is not picking", () => {
  const once = toggled(nobody, web1);

  expect(has(once, web1)).toBe(true);
  expect(has(toggled(once, web1), web1)).toBe(false);
});

test("without a pick the action is about everybody found", () => {
  expect(targetOf(nobody, "tag:db", 1_000_000)).toEqual({ query: "tag:db", count: 1_000_000 });
});

test("those picked are meant, and nobody else", () => {
  const both = toggled(toggled(nobody, web1), web2);

  expect(targetOf(both, "tag:db", 100).fingerprints).toEqual(["aa", "bb"]);
});

test("picking one after everybody begins anew", () => {
  const one = toggled({ all: true, some: new Map() }, web1);

  expect(targetOf(one, "*", 100).count).toBe(1);
});

test("of those picked they stay who are found by another expression, too", () => {
  const both = toggled(toggled(nobody, web1), web2);

  expect([...kept(both, [web2]).some.keys()]).toEqual(["bb"]);
  expect(kept(both, [])).toEqual(nobody);
});

test("whoever is not picked any more is not meant, also when nobody was found", () => {
  const both = toggled(toggled(nobody, web1), web2);

  const one = toggled(both, web1);
  expect(updateMatches(nobody, one, web1)).toEqual(nobody);
  expect(updateMatches(both, one, web1)).toEqual(one);
  expect(updateMatches(nobody, both, web2)).toEqual(toggled(nobody, web2));
});

test("picks of whom nobody is found do not mean everybody", () => {
  const one = toggled(nobody, web1);

  expect(meansNobody(one, nobody)).toBe(true);
  expect(meansNobody(one, one)).toBe(false);
  expect(meansNobody(nobody, nobody)).toBe(false);
});

test("those picked are looked for within what an expression means", () => {
  const both = toggled(toggled(nobody, web1), web2);

  expect(unmatchedFilter(both, "tag:db or web*")).toEqual([
    "( tag:db or web* ) and ( number:1 or number:2 )",
  ]);
  expect(unmatchedFilter(both, "*")).toEqual(["number:1 or number:2"]);
});

test("however many are picked, no expression gets too long", () => {
  let many = nobody;
  for (let n = 0; n < 250; n += 1)
    many = toggled(many, { fingerprint: `f${n}`, number: n, name: `web${n}` } as System);

  expect(unmatchedFilter(many, "tag:db")).toHaveLength(3);
});

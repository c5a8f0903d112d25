import { expect, test } from "vitest";
import type { System } from "../../api/types";
import { has, nobody, targetOf, toggled } from "./selection";

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

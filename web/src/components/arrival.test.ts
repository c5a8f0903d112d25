import { expect, test } from "vitest";
import { arrives, givesFocus } from "./arrival";

test("the first page does not take the focus, another one does, the same does not again", () => {
  expect(arrives("/overview")).toBe(false);
  expect(arrives("/jobs")).toBe(true);
  expect(arrives("/jobs")).toBe(false);
});

test("a field that the page has focused keeps the focus", () => {
  const within = { closest: () => ({}) as Element };
  const outside = { closest: () => null };

  expect(givesFocus(within)).toBe(false);
  expect(givesFocus(outside)).toBe(true);
  expect(givesFocus(null)).toBe(true);
});

import { expect, test } from "vitest";
import { isPageChange, shouldMoveFocus } from "./pageFocus";

test("the first page does not take the focus, another one does, the same does not again", () => {
  expect(isPageChange("/overview")).toBe(false);
  expect(isPageChange("/jobs")).toBe(true);
  expect(isPageChange("/jobs")).toBe(false);
});

test("a field that the page has focused keeps the focus", () => {
  const within = { closest: () => ({}) as Element };
  const outside = { closest: () => null };

  expect(shouldMoveFocus(within)).toBe(false);
  expect(shouldMoveFocus(outside)).toBe(true);
  expect(shouldMoveFocus(null)).toBe(true);
});

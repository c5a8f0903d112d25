import { expect, test } from "vitest";
import { withinZone } from "./query";

test("an expression with an alternative stays one whole within a zone", () => {
  expect(withinZone("web* or tag:db", "munich")).toBe("zone:munich and ( web* or tag:db )");
});

test("everything in a zone is the zone", () => {
  expect(withinZone(" ", "munich")).toBe("zone:munich");
  expect(withinZone("*", "two words")).toBe('zone:"two words"');
});

test("without a zone nothing is limited", () => {
  expect(withinZone("web*", "")).toBe("web*");
});

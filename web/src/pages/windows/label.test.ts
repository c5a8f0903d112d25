import { expect, test } from "vitest";
import { labelOf } from "./label";

test("a file's name becomes a label without its ending and blanks", () => {
  expect(labelOf("nights.ics")).toBe("nights");
  expect(labelOf("Site Berlin (2026).ics")).toBe("Site-Berlin-2026");
  expect(labelOf("..ics")).toBe(".");
});

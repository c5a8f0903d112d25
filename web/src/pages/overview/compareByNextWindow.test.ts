import { expect, test } from "vitest";
import type { Schedule } from "../../api/types";
import { compareByNextWindow } from "./compareByNextWindow";

const schedule = (name: string, opens: string | null, open = false) =>
  ({ name, opens, open }) as Schedule;

test("open windows come first, then the next ones, and those without any last", () => {
  const all = [
    schedule("never", null),
    schedule("later", "2026-11-18T02:00:00Z"),
    schedule("soon", "2026-11-17T02:00:00Z"),
    schedule("now", "2026-11-16T02:00:00Z", true),
  ];

  expect(all.sort(compareByNextWindow).map((schedule) => schedule.name)).toEqual([
    "now",
    "soon",
    "later",
    "never",
  ]);
});

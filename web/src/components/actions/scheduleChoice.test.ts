import { expect, test } from "vitest";
import { choiceOf, itemOf, type ScheduleChoice } from "./scheduleChoice";

test("every choice comes back from its list, whatever a schedule is called", () => {
  const all: ScheduleChoice[] = [
    "none",
    "unsaid",
    { schedule: "none" },
    { schedule: "schedule x" },
  ];

  expect(all.map((choice) => choiceOf(itemOf(choice)))).toEqual(all);
});

test("whatever is not known chooses nothing", () => {
  expect(choiceOf("")).toBe("unsaid");
});

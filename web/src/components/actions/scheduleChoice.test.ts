import { expect, test } from "vitest";
import { choiceOf, itemOf, type ScheduleChoice } from "./scheduleChoice";

test("every choice comes back from its list, whatever a schedule is called", () => {
  const all: ScheduleChoice[] = [
    "none",
    "unsaid",
    { schedule: "none" },
    { schedule: "schedule x" },
  ];

  expect(all.map((each) => choiceOf(itemOf(each)))).toEqual(all);
});

test("whatever is not known chooses nothing", () => {
  expect(choiceOf("")).toBe("unsaid");
});

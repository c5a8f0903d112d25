import { expect, test } from "vitest";
import { type Choice, choiceOf, itemOf } from "./given";

test("every choice comes back from its list, whatever a schedule is called", () => {
  const all: Choice[] = ["none", "unsaid", { schedule: "none" }, { schedule: "schedule x" }];

  expect(all.map((each) => choiceOf(itemOf(each)))).toEqual(all);
});

test("whatever is not known chooses nothing", () => {
  expect(choiceOf("")).toBe("unsaid");
});

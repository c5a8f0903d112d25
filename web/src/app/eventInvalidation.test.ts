import { expect, test } from "vitest";
import { queryKeyOf, queryKeysForEvent } from "./eventInvalidation";

test("an event of a job asks for nothing but jobs again", () => {
  expect(queryKeysForEvent("job.done").map(queryKeyOf)).toEqual([["jobs"]]);
});

test("lists of events are asked again by the kinds that they show", () => {
  expect(queryKeysForEvent("system.accepted").map(queryKeyOf)).toContainEqual(["events", "system"]);
  expect(queryKeysForEvent("leader.changed").map(queryKeyOf)).toContainEqual([
    "events",
    "topology",
  ]);
  expect(queryKeysForEvent("window.overrun").map(queryKeyOf)).toContainEqual([
    "events",
    "troubles",
  ]);
});

test("an event that nothing is known of asks for nothing", () => {
  expect(queryKeysForEvent("weather.changed")).toEqual([]);
});

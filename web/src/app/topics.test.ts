import { expect, test } from "vitest";
import { keyOf, topicsOf } from "./topics";

test("an event of a job asks for nothing but jobs again", () => {
  expect(topicsOf("job.done").map(keyOf)).toEqual([["jobs"]]);
});

test("lists of events are asked again by the kinds that they show", () => {
  expect(topicsOf("system.accepted").map(keyOf)).toContainEqual(["events", "system"]);
  expect(topicsOf("leader.changed").map(keyOf)).toContainEqual(["events", "topology"]);
  expect(topicsOf("window.overrun").map(keyOf)).toContainEqual(["events", "troubles"]);
});

test("an event that nothing is known of asks for nothing", () => {
  expect(topicsOf("weather.changed")).toEqual([]);
});

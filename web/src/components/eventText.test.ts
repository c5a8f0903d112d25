import { expect, test } from "vitest";
import type { FleetEvent } from "../api/types";
import { eventPlace, eventText } from "./eventText";

const event = (overrides: Partial<FleetEvent>): FleetEvent => ({
  cursor: "1.0",
  at: "2026-11-16T12:00:00Z",
  kind: "job.done",
  id: "x",
  data: {},
  ...overrides,
});

test("one system is called by its name and leads to its page", () => {
  const accepted = event({
    kind: "system.accepted",
    by: "ann",
    data: { systems: [{ name: "web1", number: 4 }] },
  });

  expect(eventText(accepted)).toBe("web1 accepted by ann");
  expect(eventPlace(accepted)).toBe("/systems/4");
});

test("the end of a job tells its counts", () => {
  const done = event({ job: "7", data: { counts: { completed: 9, failed: 1, queued: 0 } } });

  expect(eventText(done)).toBe("Job done: 9 completed, 1 failed");
  expect(eventPlace(done)).toBe("/jobs/7");
});

test("each kind leads to the page that shows it", () => {
  const place = (kind: string) => eventPlace(event({ kind, node: "n1" }));

  expect(place("schedule.missed")).toBe("/jobs/recurring");
  expect(place("window.overrun")).toBe("/windows");
  expect(place("node.drifted")).toBe("/edits/nodes");
  expect(place("node.faulty")).toBe("/topology");
});

test("kinds are told in the words of the UI", () => {
  const told = (kind: string, data = {}) => eventText(event({ kind, by: "ann", data }));

  expect(told("job.made", { function: "cmd.run", query: "*" })).toBe(
    "Job created by ann: cmd.run *",
  );
  expect(told("window.changed", { name: "nights" })).toBe(
    "Maintenance schedule nights changed by ann",
  );
  expect(told("revision.published")).toBe("Revision published by ann");
});

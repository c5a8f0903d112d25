import { expect, test } from "vitest";
import type { FleetEvent, System } from "../../api/types";
import { milestones } from "./milestones";

const web1 = {
  name: "web1",
  fingerprint: "aa:bb",
  number: 7,
  state: "onboarded",
  stage: "accepted",
  origin: "10.0.0.1",
  enrolled: "2026-11-16T10:00:00Z",
  accepted: "2026-11-16T11:00:00Z",
  accepted_by: "ann",
  node: "n1",
  last_seen: "2026-11-16T12:00:00Z",
} as System;

test("a life is told from now back to the first knock", () => {
  const attached = { at: "2026-11-16T11:30:00Z", node: "n1" };

  expect(milestones(web1, [], attached).map(({ at, text }) => [at.slice(11, 16), text])).toEqual([
    ["11:30", "Attached to n1"],
    ["11:00", "Accepted by ann"],
    ["10:00", "Enrolled from 10.0.0.1"],
  ]);
});

test("what an event tells is not told twice", () => {
  const accepted = {
    kind: "system.accepted",
    at: "2026-11-16T11:00:01Z",
    by: "ann",
    data: { systems: [{}, {}] },
  } as unknown as FleetEvent;

  expect(
    milestones(web1, [accepted]).filter((milestone) => milestone.text.startsWith("Accepted")),
  ).toHaveLength(1);
  expect(milestones(web1, [accepted])[0]?.text).toBe("Accepted by ann with 1 more");
});

test("a report of its node is no new attachment", () => {
  const later = { ...web1, last_seen: "2026-11-16T13:00:00Z" };

  expect(milestones(later, [])).toEqual(milestones(web1, []));
});

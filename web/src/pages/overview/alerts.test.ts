import { expect, test } from "vitest";
import type { Job, Stats } from "../../api/types";
import { alertsOf } from "./alerts";

const calm: Stats = {
  at: "2026-11-16T12:00:00Z",
  cluster: "c1",
  systems: { new: 0, rejected: 0, onboarded: 100, orphan: 0, deleted: 3 },
  zones: [{ name: "default", nodes: 1, systems: 100, attached: 100, slots_unplaced: 0 }],
  nodes: [
    {
      name: "n1",
      zone: "default",
      state: "serving",
      there: true,
      slots: 16384,
      attached: 100,
      cpu: 0.2,
      headroom: 0.8,
      memory_bytes: 1,
      attach_rate: 0,
    },
  ],
};
const node = calm.nodes[0];
const zone = calm.zones[0];

test("a calm cluster needs no attention", () => {
  expect(alertsOf({ stats: calm, jobs: [], events: [] })).toEqual([]);
});

test("what is worst comes first", () => {
  const alerts = alertsOf({
    stats: {
      ...calm,
      systems: { ...calm.systems, new: 2, orphan: 5 },
      zones: zone ? [{ ...zone, slots_unplaced: 12 }] : [],
    },
  });

  expect(alerts.map((alert) => alert.level)).toEqual(["danger", "warning", "info"]);
});

test("a node that is away is told once, whatever its load was", () => {
  const away = node ? [{ ...node, there: false, headroom: 0.01 }] : [];

  expect(alertsOf({ stats: { ...calm, nodes: away } }).map((alert) => alert.title)).toEqual([
    "Node n1 is offline",
  ]);
});

test("failed and halted jobs lead to the job", () => {
  const job = {
    id: "7",
    function: "cmd.run",
    by: "ann",
    note: "",
    changed: "",
    reason: "",
    counts: { failed: 3 },
    stage: "done",
  } as unknown as Job;
  const alerts = alertsOf({ jobs: [job, { ...job, id: "8", stage: "halted" }] });

  expect(alerts.map((alert) => alert.to)).toEqual(["/jobs/8", "/jobs/7"]);
});

test("a drift that was healed is no concern any more", () => {
  const drift = {
    cursor: "1",
    at: "2026-11-16T12:00:00Z",
    kind: "node.drifted",
    id: "a",
    node: "n1",
    data: {},
  };
  const heal = { ...drift, kind: "node.healed", id: "b", at: "2026-11-16T12:00:05Z" };

  expect(alertsOf({ events: [drift] })).toHaveLength(1);
  expect(alertsOf({ events: [drift, heal] })).toHaveLength(0);
  expect(alertsOf({ events: [heal, drift] })).toHaveLength(0);
});

test("what happens to one thing again and again is one concern, as of the last time", () => {
  const overrun = (at: string, reason: string) => ({
    cursor: at,
    at,
    kind: "window.overrun",
    id: at,
    data: { schedule: "nights", reason },
  });
  const alerts = alertsOf({
    events: [
      overrun("2026-11-16T02:00:00Z", "two run on"),
      overrun("2026-11-15T02:00:00Z", "one runs on"),
      overrun("2026-11-14T02:00:00Z", "three run on"),
    ],
  });

  expect(alerts).toHaveLength(1);
  expect(alerts[0]).toMatchObject({
    title: "Tasks still running after the window closed: nights (3 times)",
    at: "2026-11-16T02:00:00Z",
    detail: "two run on",
  });
});

const end = (job: string, failed: number) => ({
  cursor: job,
  at: "2026-11-16T12:00:00Z",
  kind: "job.done",
  id: `job/${job}/2`,
  job,
  data: { counts: { completed: 5, failed } },
});

test("a job that failed is told however many were made since, and once", () => {
  const listed = {
    id: "8",
    function: "cmd.run",
    by: "ann",
    note: "",
    changed: "",
    counts: { failed: 1 },
    stage: "done",
  } as unknown as Job;
  const alerts = alertsOf({ jobs: [listed], ends: [end("7", 2), end("8", 1), end("9", 0)] });

  expect(alerts.map((alert) => alert.to).sort()).toEqual(["/jobs/7", "/jobs/8"]);
});

test("within a zone other zones are no concern", () => {
  const away = node ? { ...node, name: "n2", zone: "eu", there: false } : undefined;
  const stats = {
    ...calm,
    systems: { ...calm.systems, orphan: 7, new: 1 },
    zones: [...calm.zones, { name: "eu", nodes: 1, systems: 7, attached: 0, slots_unplaced: 3 }],
    nodes: away ? [...calm.nodes, away] : [],
  };
  const drift = (name: string) => ({
    cursor: name,
    at: "2026-11-16T12:00:00Z",
    kind: "node.drifted",
    id: name,
    node: name,
    data: {},
  });
  const cluster = { stats, events: [drift("n1"), drift("n2")] };

  expect(alertsOf(cluster, "default").map((alert) => alert.id)).toEqual([
    "node.drifted n1",
    "pool",
  ]);
  expect(alertsOf(cluster, "eu").map((alert) => alert.id)).toEqual([
    "zone eu",
    "node n2",
    "orphans",
    "node.drifted n2",
    "pool",
  ]);
  expect(alertsOf(cluster)).toHaveLength(6);
});

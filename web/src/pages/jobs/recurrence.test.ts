import { expect, test } from "vitest";
import {
  emptyRecurring,
  type Recurrence,
  recurrenceFormOf,
  recurringBody,
  recurringReady,
} from "./recurrence";

const nightly = {
  ...emptyRecurring("Europe/Berlin"),
  name: "nightly",
  query: "tag:db",
  command: "true",
};

test("a run means systems of the zone that is chosen, and of no other", () => {
  expect(recurringBody(nightly, "")).toMatchObject({ query: "tag:db" });
  expect(recurringBody(nightly, "eu")).toMatchObject({ query: "zone:eu and ( tag:db )" });
});

test("a line of cron goes by the clocks of a zone, a moment is a moment", () => {
  expect(recurringBody(nightly, "")).toMatchObject({ cron: "30 2 * * *", zone: "Europe/Berlin" });
  const once = recurringBody({ ...nightly, timing: "at", when: "2026-11-16T22:00" }, "");
  expect(once).toMatchObject({ at: expect.stringMatching(/^2026-11-1\dT\d\d:00:00Z$/) });
  expect(once).not.toHaveProperty("zone");
});

test("what is written nowhere is missing", () => {
  expect(recurringReady(nightly)).toBe(true);
  expect(recurringReady({ ...nightly, command: " " })).toBe(false);
  expect(recurringReady({ ...nightly, when: "" })).toBe(false);
});

test("what a run does otherwise stays as it is when the rest is changed", () => {
  const row = {
    name: "chain",
    cron: "@daily",
    zone: "UTC",
    query: "*",
    function: "chain.run",
    arguments: { steps: [] },
    maintenance_only: true,
  } as unknown as Recurrence;
  const wish = recurrenceFormOf(row);

  expect(recurringReady(wish)).toBe(true);
  expect(recurringBody(wish, "")).toEqual({
    cron: "@daily",
    zone: "UTC",
    query: "*",
    maintenance_only: true,
  });
});

test("a run may bring systems to their configuration instead of a command", () => {
  const body = recurringBody({ ...nightly, work: "deploy", command: "" }, "");
  const row = { ...body, name: "nightly" } as unknown as Recurrence;

  expect(recurringReady({ ...nightly, work: "deploy", command: "" })).toBe(true);
  expect(body).toMatchObject({ function: "configuration.deploy", arguments: {} });
  expect(recurrenceFormOf(row).work).toBe("deploy");
  expect(recurrenceFormOf({ ...row, arguments: { dry_run: true } }).work).toBe("other");
});

test("a run comes back as it was written", () => {
  const row = {
    name: "once",
    at: "2026-11-16T22:00:00Z",
    query: "web*",
    function: "cmd.run",
    arguments: { cmd: "uptime" },
    maintenance_only: false,
    zone: "UTC",
  } as unknown as Recurrence;

  expect(recurringBody(recurrenceFormOf(row), "")).toEqual({
    at: "2026-11-16T22:00:00Z",
    query: "web*",
    function: "cmd.run",
    arguments: { cmd: "uptime" },
    maintenance_only: false,
  });
});

import { expect, test } from "vitest";
import type { Change, Item } from "../../components/editTypes";
import { diffOf } from "./diff";
import { itemsToRead, liveKey, netChanges } from "./netChanges";

const live = { expression: "tag:web", description: "front" };

let number = 0;
function change(
  operation: string,
  given: Record<string, unknown>,
  { name = "web", before = live as Item, section = operation.split(".")[0] ?? "" } = {},
): Change {
  number += 1;
  const arguments_ = { name, ...given };
  const rest = { by: "anna", edit: "e-1", at: "", error: null };
  return { number, operation, section, name, arguments: arguments_, before, ...rest };
}

const replace = (expression: string, description = "front") =>
  change("groups.replace", { expression, description });

test("several changes of an item are one net change from the live value to the last", () => {
  const [entry, more] = netChanges([replace("tag:a"), replace("tag:b", "second")]);
  expect(more).toBeUndefined();
  expect(entry).toMatchObject({
    net: "changed",
    before: live,
    after: { expression: "tag:b", description: "second" },
  });
  const lines = diffOf(entry?.before ?? null, entry?.after ?? null);
  expect(lines.map((line) => line.text)).not.toContain("expression: tag:a");
});

test("each step starts from the value that the step before left", () => {
  const [entry] = netChanges([replace("tag:a"), replace("tag:b")]);
  expect(entry?.steps.map((step) => [step.before?.expression, step.after?.expression])).toEqual([
    ["tag:web", "tag:a"],
    ["tag:a", "tag:b"],
  ]);
});

test("a change and its undoing cancel out", () => {
  const [entry] = netChanges([replace("tag:a"), replace("tag:web")]);
  expect(entry).toMatchObject({ net: "none", steps: { length: 2 } });
});

test("an item that is created and deleted again is no net change", () => {
  const create = change("groups.create", { expression: "new*" }, { name: "new", before: null });
  const remove = change("groups.remove", {}, { name: "new", before: null });
  expect(netChanges([create])[0]).toMatchObject({ net: "new", before: null });
  expect(netChanges([create, remove])[0]).toMatchObject({ net: "none", steps: { length: 2 } });
});

test("a deleted item has no value after", () => {
  const [entry] = netChanges([replace("tag:a"), change("groups.remove", {})]);
  expect(entry).toMatchObject({ net: "deleted", before: live, after: null });
});

test("items stand in the order of their first change", () => {
  const other = change("groups.replace", { expression: "db*" }, { name: "db", before: null });
  expect(netChanges([replace("a"), other, replace("b")]).map((entry) => entry.name)).toEqual([
    "web",
    "db",
  ]);
});

test("what the server adds to a rule is no part of the diff", () => {
  const before = { priority: 5, zone: "default", names: ["web*"], record: "4711" };
  const place = { name: "webs", before };
  const remove = change("accept-rules.remove", {}, place);
  const create = change(
    "accept-rules.create",
    { priority: 5, zone: "default", names: ["web*"] },
    place,
  );
  expect(netChanges([remove, create])[0]?.net).toBe("none");
});

test("an assignment stands alone and does not change the schedule", () => {
  const before = { type: "single", calendar: "nights" };
  const place = { name: "nights", before };
  const assign = change("windows.assign", { query: "tag:db" }, place);
  const modify = change("windows.change", { calendar: "days" }, place);
  expect(netChanges([assign, modify]).map((entry) => entry.net)).toEqual(["assignment", "changed"]);
});

test("calendars and the policy are compared with what was read for them", () => {
  const upload = change(
    "calendars.replace",
    { text: "BEGIN" },
    { name: "nights", before: { from: "upload", digest: "4711" } },
  );
  const set = change(
    "windows.set-policy",
    { emergency_override: true },
    { name: "", before: null, section: "policy" },
  );
  expect(itemsToRead([upload, upload, set])).toEqual({ calendars: ["nights"], policy: true });
  expect(netChanges([upload, set]).map((entry) => entry.net)).toEqual(["changed", "new"]);
  const read = new Map<string, Item>([
    [liveKey("calendars", "nights"), { text: "BEGIN", url: "" }],
    [liveKey("policy", ""), { emergency_override: true, permission: "windows.override" }],
  ]);
  expect(netChanges([upload, set], read).map((entry) => entry.net)).toEqual(["none", "none"]);
});

test("a change that is not known in detail is said to be unclear", () => {
  const place = { name: "base", before: { name: "Base" } };
  const associate = change("channel.software.associateRepo", { repoLabel: "updates" }, place);
  expect(netChanges([associate])[0]?.net).toBe("unclear");
  const remove = change("channel.software.delete", {}, place);
  expect(netChanges([remove])[0]?.net).toBe("deleted");
});

test("a change that may not be read stands alone", () => {
  const hidden = { ...change("roles.change", {}), name: "", arguments: null, before: null };
  expect(netChanges([hidden, { ...hidden, number: 99 }]).map((entry) => entry.net)).toEqual([
    "hidden",
    "hidden",
  ]);
});

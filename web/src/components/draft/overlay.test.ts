import { expect, test } from "vitest";
import type { Change } from "../editTypes";
import { draftedAssignments, overlay, overlayOne } from "./overlay";

interface Group {
  name: string;
  expression: string;
  description: string;
  version?: number;
}

const groups = {
  section: "groups",
  nameOf: (row: Group) => row.name,
  blank: (name: string) => ({ name, expression: "", description: "" }),
};
const web: Group = { name: "web", expression: "tag:web", description: "front", version: 4 };
const db: Group = { name: "db", expression: "tag:db", description: "" };

let number = 0;
function change(operation: string, name: string, given: Record<string, unknown> = {}): Change {
  number += 1;
  return {
    number,
    operation,
    section: operation.split(".")[0] ?? "",
    name,
    arguments: { name, ...given },
    by: "anna",
    edit: "e-1",
    at: "",
    before: null,
    error: null,
  };
}

const replace = (name: string, expression: string, description = "") =>
  change("groups.replace", name, { expression, description });

test("without changes the rows are the live ones, unmarked", () => {
  expect(overlay([web, db], [], groups)).toEqual([{ row: web }, { row: db }]);
});

test("a changed row shows the drafted value and keeps what the draft does not hold", () => {
  expect(overlay([web, db], [replace("web", "tag:www", "front")], groups)).toEqual([
    { row: { ...web, expression: "tag:www" }, draft: "changed" },
    { row: db },
  ]);
});

test("of several changes of a row the last value is shown", () => {
  const [entry] = overlay([web], [replace("web", "a"), replace("web", "b", "second")], groups);
  expect(entry?.row).toMatchObject({ expression: "b", description: "second" });
});

test("a change and its undoing leave the row unmarked", () => {
  const changes = [replace("web", "tag:www"), replace("web", "tag:web", "front")];
  expect(overlay([web], changes, groups)).toEqual([{ row: web }]);
});

test("a new row is last, and can be changed and deleted again", () => {
  const create = change("groups.create", "new", { expression: "new*" });
  expect(overlay([web], [create], groups)).toEqual([
    { row: web },
    { row: { name: "new", expression: "new*", description: "" }, draft: "new" },
  ]);
  const [, changed] = overlay([web], [create, replace("new", "newer*")], groups);
  expect(changed).toMatchObject({ row: { expression: "newer*" }, draft: "new" });
  expect(overlay([web], [create, change("groups.remove", "new")], groups)).toEqual([{ row: web }]);
});

test("a row to be deleted stays with its live values, and one created again counts as changed", () => {
  const remove = change("groups.remove", "web");
  expect(overlay([web], [replace("web", "x"), remove], groups)).toEqual([
    { row: web, draft: "deleted" },
  ]);
  const create = change("groups.create", "web", { expression: "other*" });
  expect(overlay([web], [remove, create], groups)[0]).toMatchObject({
    row: { expression: "other*", description: "" },
    draft: "changed",
  });
});

test("a change that names some members leaves the others", () => {
  const role = { name: "night", rights: ["jobs.read"], about: "awake", built_in: false };
  const kind = { section: "roles", nameOf: (row: typeof role) => row.name, blank: () => role };
  const grant = change("roles.change", "night", { rights: ["jobs.run", "jobs.read"] });
  expect(overlay([role], [grant], kind)).toEqual([
    { row: { ...role, rights: ["jobs.read", "jobs.run"] }, draft: "changed" },
  ]);
  const back = change("roles.change", "night", { rights: ["jobs.read"] });
  expect(overlay([role], [grant, back], kind)).toEqual([{ row: role }]);
});

test("the order of rights, tags and names has no meaning", () => {
  const role = { name: "night", rights: ["b", "a"], about: "" };
  const kind = { section: "roles", nameOf: (row: typeof role) => row.name, blank: () => role };
  const same = change("roles.change", "night", { rights: ["a", "b"] });
  expect(overlay([role], [same], kind)).toEqual([{ row: role }]);
});

test("changes of other sections, hidden changes and assignments leave the rows alone", () => {
  const hidden = { ...replace("web", "x"), name: "", arguments: null };
  const other = change("roles.remove", "web");
  expect(overlay([web], [hidden, other], groups)).toEqual([{ row: web }]);

  const nights = { name: "nights", type: "single", calendar: "nights" };
  const kind = {
    section: "windows",
    nameOf: (row: typeof nights) => row.name,
    blank: () => nights,
  };
  const assign = change("windows.assign", "nights", { query: "tag:db" });
  expect(overlay([nights], [assign], kind)).toEqual([{ row: nights }]);
  expect(draftedAssignments([assign], "nights")).toEqual(["tag:db"]);
  expect(draftedAssignments([assign], "days")).toEqual([]);
});

test("the policy has no name", () => {
  const live = { emergency_override: true, permission: "windows.override" };
  const off = { ...change("windows.set-policy", ""), section: "policy" };
  off.arguments = { emergency_override: false };
  expect(overlayOne(live, [off], "policy")).toEqual({
    row: { emergency_override: false, permission: "windows.override" },
    draft: "changed",
  });
  const on = { ...off, arguments: { emergency_override: true } };
  expect(overlayOne(live, [off, on], "policy")).toEqual({ row: live });
});

test("groups of the compatible API and of Salt's nodegroups have expressions", () => {
  const create = { ...change("systemgroup.create", "shop"), section: "groups" };
  const update = { ...change("systemgroup.update", "shop"), section: "groups" };
  update.arguments = { systemGroupName: "shop", description: "sells" };
  expect(overlay([], [create, update], groups)).toEqual([
    { row: { name: "shop", expression: "not *", description: "sells" }, draft: "new" },
  ]);
  const listed = change("groups.replace", "db", { members: ["db1", "db2"] });
  expect(overlay([db], [listed], groups)[0]?.row.expression).toBe("db1 db2");
});

test("drafts of older servers are understood", () => {
  const put = change("groups.put", "web", { expression: "tag:www", description: "front" });
  expect(overlay([web], [put], groups)[0]).toMatchObject({
    row: { expression: "tag:www" },
    draft: "changed",
  });
  const add = change("groups.add", "new", { expression: "new*" });
  expect(overlay([], [add], groups)[0]).toMatchObject({ draft: "new" });
});

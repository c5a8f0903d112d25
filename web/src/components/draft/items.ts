// What a change of the draft makes of an item of common data (docs/concepts/drafts.md). Pure.
import type { Change, Item } from "../editTypes";

type Fields = Record<string, unknown>;

// The members of an item by section, each with its default. Members that only identify an item, and
// those that the server computes, are not listed.
const members: Record<string, Fields> = {
  groups: { expression: "", description: "" },
  calendars: { text: "", url: "" },
  windows: { type: "", calendar: "" },
  policy: { emergency_override: false },
  "accept-rules": {
    priority: 100,
    activation_key: false,
    networks: [],
    names: [],
    zone: "default",
    tags: [],
    groups: [],
  },
  roles: { rights: [], about: "" },
};

export function isKnownSection(section: string): boolean {
  return section in members;
}

// The lists of known sections are sets: their order has no meaning.
function inOrder(value: unknown): unknown {
  return Array.isArray(value) ? [...value].sort() : value;
}

// The item within a list row or a request.
export function itemOf(section: string, row: object): Fields {
  const given = row as Fields;
  return Object.fromEntries(
    Object.entries(members[section] ?? {}).map(([name, usual]) => [
      name,
      inOrder(given[name] ?? usual),
    ]),
  );
}

// Only what the request names, for requests that leave the rest as it is.
function namedOf(section: string, given: Fields): Fields {
  return Object.fromEntries(
    Object.keys(members[section] ?? {})
      .filter((name) => given[name] !== undefined && given[name] !== null)
      .map((name) => [name, inOrder(given[name])]),
  );
}

const removal = /\.(remove|delete)([A-Z]\w*)?$/;
// The request holds the whole item. Drafts of older servers have add and put.
const replacing =
  /^((groups|calendars|windows|accept-rules|roles)\.(create|add|replace|put)|systemgroup\.create)$/;
const merging = new Set([
  "windows.change",
  "windows.set-policy",
  "roles.change",
  "systemgroup.update",
]);
const assigning = new Set(["windows.assign", "windows.unassign"]);

export function isRemoval(change: Change): boolean {
  return removal.test(change.operation);
}

// An assignment changes systems; the schedule stays as it is.
export function isAssignment(change: Change): boolean {
  return assigning.has(change.operation);
}

// Whether `itemAfter` knows exactly what the change does.
export function isExact(change: Change): boolean {
  return (
    isRemoval(change) ||
    isAssignment(change) ||
    (change.arguments !== null &&
      (replacing.test(change.operation) || merging.has(change.operation)))
  );
}

// A group may be given by its members' names, as in a nodegroup of Salt. A group of the compatible
// API starts empty.
function withExpression(operation: string, given: Fields): Fields {
  if (operation === "systemgroup.create") return { ...given, expression: "not *" };
  if (!Array.isArray(given.members)) return given;
  return { ...given, expression: given.members.join(" ") };
}

// The item after the change. A change that is not understood leaves the item as it is.
export function itemAfter(item: Item, change: Change): Item {
  if (isAssignment(change)) return item;
  if (isRemoval(change)) return null;
  if (change.arguments === null) return item;
  const given = withExpression(change.operation, change.arguments);
  if (replacing.test(change.operation)) return itemOf(change.section, given);
  if (merging.has(change.operation)) return { ...item, ...namedOf(change.section, given) };
  return item;
}

export function isSame(one: Item, other: Item): boolean {
  return canonical(one) === canonical(other);
}

function canonical(item: Item): string {
  if (item === null) return "null";
  return JSON.stringify(
    Object.keys(item)
      .sort()
      .map((name) => [name, item[name]]),
  );
}

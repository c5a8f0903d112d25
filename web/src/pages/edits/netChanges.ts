// The draft by item: the live value, the value after all changes, and the changes between. Pure.
import {
  isAssignment,
  isExact,
  isKnownSection,
  isSame,
  itemAfter,
  itemOf,
} from "../../components/draft/items";
import type { Change, Item } from "../../components/editTypes";
import { afterOf } from "./diff";

// unclear: the page does not know in detail what a change does.
export type Net = "new" | "changed" | "deleted" | "none" | "assignment" | "unclear" | "hidden";

export interface Step {
  change: Change;
  before: Item;
  after: Item;
}

export interface NetChange {
  key: string;
  section: string;
  name: string;
  net: Net;
  before: Item; // live
  after: Item; // once the draft is applied
  steps: Step[];
}

// Live items that the changes do not carry in `before`, by `liveKey`.
export type LiveItems = Map<string, Item>;

export function liveKey(section: string, name: string): string {
  return `${section} ${name}`;
}

// Changes that stand alone have a key of their own.
function keyOf(change: Change): string {
  const alone =
    isAssignment(change) ||
    change.arguments === null ||
    (change.name === "" && change.section !== "policy");
  return alone ? `#${change.number}` : liveKey(change.section, change.name);
}

// `before` holds of a calendar only a digest, which cannot be compared with a text.
function liveItem(change: Change, live: LiveItems): Item {
  const known = live.get(liveKey(change.section, change.name));
  const item = known === undefined ? change.before : known;
  const comparable = isKnownSection(change.section) && !(item && "digest" in item);
  return item && comparable ? itemOf(change.section, item) : item;
}

function netOf(steps: Step[], before: Item, after: Item): Net {
  if (steps.some(({ change }) => change.arguments === null)) return "hidden";
  if (steps.every(({ change }) => isAssignment(change))) return "assignment";
  if (after === null) return before === null ? "none" : "deleted";
  if (!steps.every(({ change }) => isExact(change))) return "unclear";
  if (before === null) return "new";
  return isSame(before, after) ? "none" : "changed";
}

function netChange(key: string, changes: Change[], live: LiveItems): NetChange | undefined {
  const [first] = changes;
  if (!first) return undefined;
  const before = liveItem(first, live);
  const steps: Step[] = [];
  let item = before;
  for (const change of changes) {
    const after = isExact(change) ? itemAfter(item, change) : afterOf({ ...change, before: item });
    steps.push({ change, before: item, after });
    item = after;
  }
  const { section, name } = first;
  return { key, section, name, net: netOf(steps, before, item), before, after: item, steps };
}

// In the order in which the items were first changed.
export function netChanges(changes: Change[], live: LiveItems = new Map()): NetChange[] {
  const byKey = new Map<string, Change[]>();
  for (const change of changes) {
    const key = keyOf(change);
    byKey.set(key, [...(byKey.get(key) ?? []), change]);
  }
  return [...byKey].flatMap(([key, own]) => netChange(key, own, live) ?? []);
}

// The items whose live value is not in the draft's answer: calendars, of which it has a digest, and
// the policy, which has no name there.
export function itemsToRead(changes: Change[]): { calendars: string[]; policy: boolean } {
  const calendars = changes.filter(
    (change) => change.section === "calendars" && change.before !== null,
  );
  return {
    calendars: [...new Set(calendars.map((change) => change.name))].sort(),
    policy: changes.some((change) => change.section === "policy"),
  };
}

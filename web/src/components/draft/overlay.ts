// Lists of common data with the changes of the draft laid over them. Pure.
import type { Change, Item } from "../editTypes";
import { isAssignment, isExact, isSame, itemAfter, itemOf } from "./items";

export type DraftState = "new" | "changed" | "deleted";

// A row with its drafted values. `draft` is absent where the draft leaves the row as it is. A row
// that is to be deleted keeps its live values.
export interface Drafted<T> {
  row: T;
  draft?: DraftState;
}

interface Kind<T> {
  section: string;
  nameOf: (row: T) => string;
  blank: (name: string) => T; // a row that exists in the draft only
}

function changesByName(changes: Change[], section: string): Map<string, Change[]> {
  const byName = new Map<string, Change[]>();
  for (const change of changes) {
    if (change.section !== section || change.arguments === null || isAssignment(change)) continue;
    byName.set(change.name, [...(byName.get(change.name) ?? []), change]);
  }
  return byName;
}

function drafted<T extends object>(
  live: T | undefined,
  name: string,
  changes: Change[],
  kind: Kind<T>,
): Drafted<T> | undefined {
  const before = live ? itemOf(kind.section, live) : null;
  const after = changes.reduce<Item>(itemAfter, before);
  if (after === null) return live && { row: live, draft: "deleted" };
  const row = { ...(live ?? kind.blank(name)), ...after };
  if (!live) return { row, draft: "new" };
  // Rows of calendars come without their text: a replaced one counts as changed.
  const changed = !isSame(before, after) || !changes.every(isExact);
  return changed ? { row, draft: "changed" } : { row: live };
}

// Live rows in their order, then those that only the draft has.
export function overlay<T extends object>(
  rows: T[],
  changes: Change[],
  kind: Kind<T>,
): Drafted<T>[] {
  const byName = changesByName(changes, kind.section);
  const result: Drafted<T>[] = [];
  for (const live of rows) {
    const name = kind.nameOf(live);
    const own = byName.get(name);
    byName.delete(name);
    const entry = own ? drafted(live, name, own, kind) : { row: live };
    if (entry) result.push(entry);
  }
  for (const [name, own] of byName) {
    const entry = drafted(undefined, name, own, kind);
    if (entry) result.push(entry);
  }
  return result;
}

// A single item without a name, such as the policy.
export function overlayOne<T extends object>(
  live: T,
  changes: Change[],
  section: string,
): Drafted<T> {
  const [entry] = overlay([live], changes, { section, nameOf: () => "", blank: () => live });
  return entry ?? { row: live };
}

// The systems that the draft assigns a schedule to, by query.
export function draftedAssignments(changes: Change[], schedule: string): string[] {
  return changes
    .filter((change) => change.operation === "windows.assign" && change.name === schedule)
    .map((change) => {
      const { query, systems } = change.arguments ?? {};
      if (typeof query === "string") return query;
      return Array.isArray(systems) ? `${systems.length} systems` : "";
    })
    .filter((target) => target !== "");
}

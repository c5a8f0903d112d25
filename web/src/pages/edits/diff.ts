// A change of the draft as what it makes of an item. Pure.
import { type DiffLine, lineDiff } from "../../components/lineDiff";
import type { Change, Item } from "./types";

export type What = "added" | "removed" | "changed";

export function whatOf(change: Change): What {
  if (/\.(remove|delete)([A-Z]\w*)?$/.test(change.operation)) return "removed";
  return change.before === null ? "added" : "changed";
}

// Members in one order, so that equal items have equal text.
export function textOf(item: Item): string {
  if (item === null) return "";
  const lines = Object.keys(item)
    .sort()
    .flatMap((name) => {
      const value = item[name];
      if (typeof value === "string" && value.includes("\n"))
        return [
          `${name}:`,
          ...value
            .trimEnd()
            .split(/\r?\n/)
            .map((line) => `  ${line}`),
        ];
      return [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
    });
  return lines.join("\n");
}

// What stays of an item is what the request does not name; what only says which item it is is no
// part of it.
export function afterOf(change: Change): Item {
  if (whatOf(change) === "removed") return null;
  const { resolve_strategy: _, ...fields } = change.arguments;
  const item: Record<string, unknown> = { ...(change.before ?? {}) };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    if (change.before !== null && value === change.name && !(name in change.before)) continue;
    item[name] = value;
  }
  return item;
}

export function diffOf(before: Item, after: Item): DiffLine[] {
  const [old, next] = [textOf(before), textOf(after)];
  return (
    lineDiff(old, next) ?? [
      { kind: "removed", text: `${old.length} characters` },
      { kind: "added", text: `${next.length} characters` },
    ]
  );
}

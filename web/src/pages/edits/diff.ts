// Items of common data as text, and how one became another. Pure.
import { isRemoval } from "../../components/draft/items";
import type { Change, Item } from "../../components/editTypes";
import { type DiffLine, lineDiff } from "../../components/lineDiff";

export type What = "added" | "removed" | "changed";

export function whatOf(change: Change): What {
  if (isRemoval(change)) return "removed";
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
      // A list by lines, so that a diff shows which entry came or went.
      if (Array.isArray(value) && value.every((entry) => typeof entry === "string"))
        return value.length === 0
          ? [`${name}: none`]
          : [`${name}:`, ...value.map((entry) => `  ${entry}`)];
      return [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
    });
  return lines.join("\n");
}

// The item after a change whose operation is not known in detail: the members that the request names,
// without those that only identify the item, replace those of the item.
export function afterOf(change: Change): Item {
  if (whatOf(change) === "removed") return null;
  const { resolve_strategy: _, ...fields } = change.arguments ?? {};
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

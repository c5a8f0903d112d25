// The difference of two texts by lines.

export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
}

const linesMost = 1500; // the work grows with the product of both

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

// Lengths of the longest common suffixes; the diff is read from them forwards.
function commonEnds(before: string[], after: string[]): Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i -= 1) {
    const row = table[i] as Uint32Array;
    const below = table[i + 1] as Uint32Array;
    for (let j = after.length - 1; j >= 0; j -= 1) {
      row[j] =
        before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

// Undefined when the texts are too long to compare.
export function lineDiff(before: string, after: string): DiffLine[] | undefined {
  const old = linesOf(before);
  const next = linesOf(after);
  if (old.length > linesMost || next.length > linesMost) return undefined;
  const table = commonEnds(old, next);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ kind: "same", text: old[i] ?? "" });
      i += 1;
      j += 1;
    } else if (
      j >= next.length ||
      (i < old.length && (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0))
    ) {
      lines.push({ kind: "removed", text: old[i] ?? "" });
      i += 1;
    } else {
      lines.push({ kind: "added", text: next[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}

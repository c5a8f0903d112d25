// Where a long list stands when its scroll bar stands somewhere.

// Browsers draw elements up to some ten million pixels high; a million rows have 40 million. The
// list is then moved faster than its content, row by row, which nobody notices.
export const heightMost = 8_000_000;

export interface Geometry {
  total: number;
  shownRows: number;
  rowHeight: number;
  seen: number; // pixels of the list that are seen at once
}

// How many rows to add to those drawn, so that the end of the scroll is the end of the list.
export function hiddenBefore(scrolled: number, of: Geometry): number {
  const spare = of.total - of.shownRows;
  if (spare <= 0) return 0;
  const way = of.shownRows * of.rowHeight - of.seen;
  if (way <= 0) return 0;
  return Math.round(Math.max(0, Math.min(1, scrolled / way)) * spare);
}

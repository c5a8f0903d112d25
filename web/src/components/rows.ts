// Where a long list stands when its scroll bar stands somewhere.

// Browsers draw elements up to some ten million pixels high; a million rows have 40 million. The
// list is then moved faster than its content, row by row, which nobody notices.
export const heightMost = 8_000_000;

const gap = 0.75;
const padding = 0.75;

// The least width of a row in rem, of columns such as "7rem" and "minmax(8rem, 2fr)". Each row is a
// grid of its own: without a common width the columns of one stand beside those of another.
export function leastWidth(columns: string[]): number {
  const widths = columns.map((column) => Number(/([\d.]+)rem/.exec(column)?.[1] ?? 0));
  const sum = widths.reduce((all, width) => all + width, 0);
  return sum + gap * Math.max(0, columns.length - 1) + 2 * padding;
}

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

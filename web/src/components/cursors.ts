// Where the pages of a list begin that is read page after page, each by the cursor which the page
// before told. Pages may be short, and what stands in them changes while one looks. Pure: what is
// known and an answer in, what is known then out.

export interface Answer {
  items: readonly unknown[];
  next: string | null;
}

export interface PageStart {
  start: string; // the cursor it is asked by; "" is the first page
  at: number; // how many rows lie before it
}

export interface Cursors {
  pages: readonly PageStart[];
  end?: number; // how many rows there are; not known before the last page was read
}

export const unread: Cursors = { pages: [{ start: "", at: 0 }] };

// The last page that begins at or before a row.
function pageOf({ pages }: Cursors, row: number): number {
  let [low, high] = [0, pages.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pages[middle]?.at ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

// What page `page` taught. The same object if that was known already.
export function learnt(is: Cursors, page: number, answer: Answer): Cursors {
  const pageStart = is.pages[page];
  if (!pageStart) return is;
  const after = pageStart.at + answer.items.length;
  if (answer.next === null) {
    if (is.end === after && is.pages.length === page + 1) return is;
    return { pages: is.pages.slice(0, page + 1), end: after };
  }
  const { next } = answer;
  const follower = is.pages[page + 1];
  if (follower?.start === next && follower.at === after) return is;
  // Pages that this one has swallowed are gone. Those further down keep their cursors, moved by as
  // many rows: they are put right when they are read again.
  const again = is.pages.findIndex((pageStart, at) => at > page && pageStart.start === next);
  const last = again > 0 ? again : page + 1;
  const moved = after - (is.pages[last]?.at ?? after);
  const later = is.pages
    .slice(last + 1)
    .map((pageStart) => ({ ...pageStart, at: pageStart.at + moved }));
  return {
    pages: [...is.pages.slice(0, page + 1), { start: next, at: after }, ...later],
    end: follower && is.end !== undefined ? is.end + moved : undefined,
  };
}

// The pages that rows from `first` to `last` lie in. Empty ones between them are among them, so that
// somebody notices when they fill.
export function pagesWithin(of: Cursors, first: number, last: number): [number, number] {
  const to = pageOf(of, last);
  let from = Math.min(pageOf(of, first), to);
  while (from > 0 && of.pages[from - 1]?.at === of.pages[from]?.at) from -= 1;
  return [from, to];
}

export function placeOf(of: Cursors, row: number): { page: number; at: number } {
  const page = pageOf(of, row);
  return { page, at: row - (of.pages[page]?.at ?? 0) };
}

// How many rows to draw: while the end is not known, some that wait to be read.
export function rowsOf(of: Cursors, waiting: number): number {
  return of.end ?? (of.pages[of.pages.length - 1]?.at ?? 0) + waiting;
}

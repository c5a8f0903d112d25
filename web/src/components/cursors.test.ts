import { expect, test } from "vitest";
import { type Answer, type Cursors, learnt, pagesWithin, placeOf, rowsOf, unread } from "./cursors";

// Numbers drawn from a seed, so that a failure can be had again.
function drawing(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

// A list of rising numbers as a server tells it: at most four in a page, fewer when it likes.
function server(rows: number[], draw: (below: number) => number) {
  return (start: string): { items: number[]; next: string | null } => {
    const rest = rows.filter((row) => start === "" || row > Number(start));
    const items = rest.slice(0, 1 + draw(4));
    const more = items.length < rest.length;
    return { items, next: more ? String(items[items.length - 1]) : null };
  };
}

// Reads every page in its order, as one who scrolls to the end.
function readAll(from: Cursors, ask: (start: string) => Answer) {
  const items: unknown[] = [];
  let is = from;
  for (let page = 0; page < is.pages.length; page += 1) {
    const leaf = is.pages[page];
    expect(leaf?.at).toBe(items.length);
    const answer = ask(leaf?.start ?? "");
    is = learnt(is, page, answer);
    items.push(...answer.items);
  }
  return { is, found: items };
}

test("whoever reads to the end has every row once, however the list changed before", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const draw = drawing(seed);
    let rows = Array.from({ length: draw(40) }, (_, n) => n * 2 + 1);
    let is = readAll(unread, server(rows, draw)).is;
    for (let round = 0; round < 4; round += 1) {
      rows = rows.filter(() => draw(5) > 0);
      rows.push(...Array.from({ length: draw(4) }, () => draw(50) * 2));
      rows = [...new Set(rows)].sort((a, b) => a - b);
      // Some pages in the middle are seen again first.
      const page = draw(is.pages.length);
      is = learnt(is, page, server(rows, draw)(is.pages[page]?.start ?? ""));
      const read = readAll(is, server(rows, draw));
      expect(read.found, `seed ${seed}`).toEqual(rows);
      expect(read.is.end, `seed ${seed}`).toBe(rows.length);
      is = read.is;
    }
  }
});

test("what is known already is the same object, so that nothing is drawn again", () => {
  const answer = { items: [1, 2], next: "2" };
  const once = learnt(unread, 0, answer);

  expect(learnt(once, 0, answer)).toBe(once);
});

test("as long as the end is not known some rows wait below", () => {
  const partial = learnt(unread, 0, { items: [1, 2, 3], next: "3" });

  expect(rowsOf(partial, 10)).toBe(13);
  expect(rowsOf(learnt(partial, 1, { items: [4], next: null }), 10)).toBe(4);
});

test("only the pages that are seen are meant", () => {
  let is = unread;
  for (let page = 0; page < 5; page += 1)
    is = learnt(is, page, { items: [1, 2, 3, 4], next: `after ${page}` });

  expect(pagesWithin(is, 5, 10)).toEqual([1, 2]);
  expect(placeOf(is, 10)).toEqual({ page: 2, at: 2 });
});

test("a page that came out empty is looked at with the next one", () => {
  const is = learnt(learnt(unread, 0, { items: [1], next: "1" }), 1, { items: [], next: "5" });

  expect(pagesWithin(is, 1, 3)).toEqual([1, 2]);
});

import { expect, test } from "vitest";
import type { Query } from "./client";
import { readNewest } from "./newest";
import type { FleetEvent } from "./types";

function happened(...ids: string[]) {
  return ids.map((id) => ({ id }) as FleetEvent);
}

test("a page that is short or empty is not taken for the end", async () => {
  const asked: Query[] = [];
  const pages = [
    { items: happened("9", "8"), next: "1.8", more: true },
    { items: [], next: "1.4", more: true },
    { items: happened("3"), next: "1.3", more: false },
  ];
  const found = await readNewest(
    async (query) => {
      asked.push(query);
      return pages[asked.length - 1] ?? { items: [], next: "", more: false };
    },
    { since: "-2h" },
    12,
  );

  expect(found.map((event) => event.id)).toEqual(["9", "8", "3"]);
  expect(asked.map((query) => query.before)).toEqual([undefined, "1.8", "1.4"]);
  expect(asked.map((query) => query.limit)).toEqual([12, 10, 10]);
});

test("no more is asked for than is wanted, and not for ever", async () => {
  let asked = 0;
  const endless = async () => {
    asked += 1;
    return { items: [], next: "1.1", more: true };
  };

  expect(await readNewest(endless, {}, 5)).toEqual([]);
  expect(asked).toBe(5);
});

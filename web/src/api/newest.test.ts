import { expect, test } from "vitest";
import type { Query } from "./client";
import { readNewest } from "./newest";
import type { FleetEvent } from "./types";

function happened(...ids: string[]) {
  return ids.map((id) => ({ id }) as FleetEvent);
}

test("a page that is short or empty is not taken for the end", async () => {
  const queries: Query[] = [];
  const pages = [
    { items: happened("9", "8"), next: "1.8", more: true },
    { items: [], next: "1.4", more: true },
    { items: happened("3"), next: "1.3", more: false },
  ];
  const events = await readNewest(
    async (query) => {
      queries.push(query);
      return pages[queries.length - 1] ?? { items: [], next: "", more: false };
    },
    { since: "-2h" },
    12,
  );

  expect(events.map((event) => event.id)).toEqual(["9", "8", "3"]);
  expect(queries.map((query) => query.before)).toEqual([undefined, "1.8", "1.4"]);
  expect(queries.map((query) => query.limit)).toEqual([12, 10, 10]);
});

test("no more is asked for than is wanted, and not for ever", async () => {
  let requests = 0;
  const endless = async () => {
    requests += 1;
    return { items: [], next: "1.1", more: true };
  };

  expect(await readNewest(endless, {}, 5)).toEqual([]);
  expect(requests).toBe(5);
});

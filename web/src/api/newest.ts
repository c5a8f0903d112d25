// What happened last, read backwards page by page.
import { api, type Query } from "./client";
import type { FleetEvent } from "./types";

interface EventsPage {
  items: FleetEvent[];
  next: string;
  more: boolean;
}

export type AskPage = (query: Query) => Promise<EventsPage>;

const pagesMost = 5; // a page may be short and yet not the last one

// Up to `most` events, the newest first.
export async function readNewest(ask: AskPage, query: Query, most: number): Promise<FleetEvent[]> {
  const events: FleetEvent[] = [];
  let before: string | undefined;
  for (let page = 0; page < pagesMost && events.length < most; page += 1) {
    const limit = Math.min(1000, most - events.length);
    const page = await ask({ ...query, order: "newest", before, limit });
    events.push(...page.items);
    if (!page.more) break;
    before = page.next;
  }
  return events.slice(0, most);
}

export function newestEvents(query: Query, most: number, signal: AbortSignal) {
  return readNewest(
    (pageQuery) => api.get("/api/v1/events", { query: pageQuery, signal }),
    query,
    most,
  );
}

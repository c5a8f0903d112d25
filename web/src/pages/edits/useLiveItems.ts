// Live values that the draft's answer does not carry, to compare drafted ones with.
import { useQueries, useQuery } from "@tanstack/react-query";
import { api, part } from "../../api/client";
import type { Change, Item } from "../../components/editTypes";
import { itemsToRead, type LiveItems, liveKey } from "./netChanges";

interface LiveCalendar {
  url: string;
  text?: string;
}

// The text of a calendar with an address is fetched again and again: its address counts.
function calendarItem(live: LiveCalendar): Item {
  return live.url === "" ? { text: live.text ?? "", url: "" } : { text: "", url: live.url };
}

// What cannot be read is left out; the change is then shown without its live value.
export function useLiveItems(changes: Change[]): LiveItems {
  const { calendars, policy } = itemsToRead(changes);
  const texts = useQueries({
    queries: calendars.map((name) => ({
      queryKey: ["windows", "calendar", name],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<LiveCalendar>(`/api/v1/windows/calendars/${part(name)}`, { signal }),
    })),
  });
  const rule = useQuery({
    queryKey: ["windows", "policy"],
    queryFn: ({ signal }) => api.get<NonNullable<Item>>("/api/v1/windows/policy", { signal }),
    enabled: policy,
  });
  const live: LiveItems = new Map();
  calendars.forEach((name, n) => {
    const data = texts[n]?.data;
    if (data) live.set(liveKey("calendars", name), calendarItem(data));
  });
  if (rule.data) live.set(liveKey("policy", ""), rule.data);
  return live;
}

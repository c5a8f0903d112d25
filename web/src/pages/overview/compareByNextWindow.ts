import type { Schedule } from "../../api/types";

const never = "9999";

// Those that are open first, then by when they open.
export function compareByNextWindow(a: Schedule, b: Schedule): number {
  if (a.open !== b.open) return a.open ? -1 : 1;
  return (a.opens ?? never).localeCompare(b.opens ?? never);
}

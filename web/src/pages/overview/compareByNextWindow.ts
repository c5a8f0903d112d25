import type { Schedule } from "../../api/types";

const never = "9999";

// Those that are open first, then by when they open.
export function compareByNextWindow(one: Schedule, other: Schedule): number {
  if (one.open !== other.open) return one.open ? -1 : 1;
  return (one.opens ?? never).localeCompare(other.opens ?? never);
}

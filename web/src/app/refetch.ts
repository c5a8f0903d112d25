// What is asked again while no events come, and when they come again.
import type { QueryClient } from "@tanstack/react-query";

export const pollInterval = 10_000; // while no events come

// Named by digest or epoch, these never change; who is logged in is asked by the session itself.
const fixedKeys = new Set(["payload", "slots", "me"]);

export function isRefetchable(key: readonly unknown[]): boolean {
  return !fixedKeys.has(String(key[0]));
}

// Everything that is on the screen now, and the rest when it is shown again. `anew`: also what is
// being asked already, because its answer may be older than what was missed.
export function refetchAll(client: QueryClient, { anew }: { anew: boolean }): void {
  void client.invalidateQueries(
    { predicate: (query) => isRefetchable(query.queryKey) },
    { cancelRefetch: anew },
  );
}

const graceMs = 2_000;

// Whether something may have happened between what a page has read and a stream that opens now.
export function mayHaveMissed(since: number, now: number): boolean {
  return now - since > graceMs;
}

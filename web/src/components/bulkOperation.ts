// A change of many systems as the server carries it out, without a page.
import { ApiError } from "../api/client";
import type { Operation } from "../api/types";
import { count, plural } from "./format";

export interface BulkCallbacks {
  begin: () => Promise<Operation>;
  look: (href: string) => Promise<Operation>;
  pause: () => Promise<void>;
  onProgress: (done: number, total: number) => void;
}

export type Outcome =
  | { kind: "ended"; state: Operation }
  | { kind: "refused"; failure: unknown } // nothing was done
  | { kind: "unsure"; failure: unknown } // it may have been begun: no answer told
  | { kind: "lost"; failure: unknown }; // it was begun; what becomes of it is not seen from here

// How far it is, in words. Before those meant are found there is no number.
export function progressText(done: number, total: number): string {
  return total === 0 ? "Finding systems…" : `${count(done)} of ${plural(total, "system")}`;
}

export async function runBulkOperation({
  begin,
  look,
  pause,
  onProgress,
}: BulkCallbacks): Promise<Outcome> {
  let state: Operation;
  try {
    state = await begin();
  } catch (failure) {
    const unsure = failure instanceof ApiError && failure.unsure;
    return { kind: unsure ? "unsure" : "refused", failure };
  }
  try {
    while (state.href && (state.state === "finding" || state.state === "running")) {
      onProgress(state.done ?? 0, state.total ?? 0);
      await pause();
      state = await look(state.href);
    }
    return { kind: "ended", state };
  } catch (failure) {
    return { kind: "lost", failure };
  }
}

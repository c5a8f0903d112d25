// A change of many systems as the server carries it out, without a page.
import type { Operation } from "../api/types";

export interface Line {
  begin: () => Promise<Operation>;
  look: (href: string) => Promise<Operation>;
  pause: () => Promise<void>;
  onProgress: (done: number, total: number) => void;
}

export type Outcome =
  | { kind: "ended"; state: Operation }
  | { kind: "refused"; failure: unknown } // nothing was done
  | { kind: "lost"; failure: unknown }; // it was begun; what becomes of it is not seen from here

export async function carryOut({ begin, look, pause, onProgress }: Line): Promise<Outcome> {
  let state: Operation;
  try {
    state = await begin();
  } catch (failure) {
    return { kind: "refused", failure };
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

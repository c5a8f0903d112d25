// A change of many systems: sent, watched until it has ended, told, and everything that shows
// systems asked again.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { api } from "../api/client";
import type { Operation } from "../api/types";
import { useNotices } from "../app/notices";
import { plural } from "./format";

export interface Progress {
  title: string;
  done: number;
  total: number;
}

const lookEvery = 500;

export function summary(ended: Operation): string {
  const parts = [`${plural(ended.changed, "system")} changed`];
  if (ended.unchanged > 0) parts.push(`${plural(ended.unchanged, "was", "were")} so already`);
  if (ended.failed > 0) parts.push(`${plural(ended.failed, "system")} failed`);
  return parts.join(", ");
}

export function useBulk() {
  const client = useQueryClient();
  const { tell, fail } = useNotices();
  const [progress, setProgress] = useState<Progress | null>(null);

  const run = useCallback(
    async (title: string, path: string, body: unknown): Promise<Operation | undefined> => {
      try {
        let state = await api.post<Operation>(path, body);
        while (state.href && (state.state === "finding" || state.state === "running")) {
          setProgress({ title, done: state.done ?? 0, total: state.total ?? 0 });
          await new Promise((resolve) => setTimeout(resolve, lookEvery));
          state = await api.get<Operation>(state.href);
        }
        const bad = state.state === "failed" || state.failed > 0;
        tell({
          title,
          variant: bad ? "warning" : "success",
          body: [summary(state), state.error, ...state.reasons.slice(0, 3)]
            .filter(Boolean)
            .join(". "),
        });
        return state;
      } catch (failure) {
        fail(`${title}: not done`, failure);
        return undefined;
      } finally {
        setProgress(null);
        for (const topic of ["systems", "keys", "stats"])
          void client.invalidateQueries({ queryKey: [topic] });
      }
    },
    [client, tell, fail],
  );
  return { run, progress };
}

// A change of many systems: sent, watched until it has ended, told, and everything that shows
// systems asked again.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { api } from "../api/client";
import type { Operation } from "../api/types";
import { useNotifications } from "../app/notifications";
import { runBulkOperation } from "./bulkOperation";
import { plural } from "./format";

export interface Progress {
  title: string;
  done: number;
  total: number;
}

const lookEvery = 500;

export function summary(ended: Operation): string {
  const parts = [`${plural(ended.changed, "system")} changed`];
  if (ended.unchanged > 0) parts.push(`${plural(ended.unchanged, "system")} unchanged`);
  if (ended.failed > 0) parts.push(`${plural(ended.failed, "system")} failed`);
  return parts.join(", ");
}

export function useBulk() {
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [progress, setProgress] = useState<Progress | null>(null);

  const run = useCallback(
    async (title: string, path: string, body: unknown): Promise<Operation | undefined> => {
      try {
        const outcome = await runBulkOperation({
          begin: () => api.post<Operation>(path, body),
          look: (href) => api.get<Operation>(href),
          pause: () => new Promise((resolve) => setTimeout(resolve, lookEvery)),
          onProgress: (done, total) => setProgress({ title, done, total }),
        });
        if (outcome.kind === "refused") fail(`${title} failed`, outcome.failure);
        if (outcome.kind === "unsure") fail(`${title}: result unknown`, outcome.failure);
        if (outcome.kind === "lost")
          tell({
            title: `${title}: started, but progress is not available`,
            variant: "warning",
            body: outcome.failure instanceof Error ? outcome.failure.message : undefined,
          });
        if (outcome.kind !== "ended") return undefined;
        const { state } = outcome;
        const bad = state.state === "failed" || state.failed > 0;
        tell({
          title,
          variant: bad ? "warning" : "success",
          body: [summary(state), state.error, ...state.reasons.slice(0, 3)]
            .filter(Boolean)
            .join(". "),
        });
        return state;
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

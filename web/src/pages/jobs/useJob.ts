// One job, as it stands now: its own stream of events while it runs.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, part } from "../../api/client";
import { followEvents } from "../../api/events";
import { hasEnded } from "./jobText";
import type { FullJob } from "./types";

const restEvery = 1_500; // results are read again at most so often while they come
const lookEvery = 10_000; // should the stream not be there

export function useJob(id: string) {
  const client = useQueryClient();
  const job = useQuery({
    queryKey: ["jobs", id],
    queryFn: ({ signal }) => api.get<FullJob>(`/api/v1/jobs/${part(id)}`, { signal }),
    refetchInterval: (query) =>
      query.state.data && !hasEnded(query.state.data) ? lookEvery : false,
  });
  const running = job.data !== undefined && !hasEnded(job.data);

  useEffect(() => {
    if (!running) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const refreshResults = () => {
      timer ??= setTimeout(() => {
        timer = null;
        void client.invalidateQueries({ queryKey: ["jobs", id, "results"] });
        void client.invalidateQueries({ queryKey: ["jobs", id, "tasks"] });
      }, restEvery);
    };
    void followEvents(`/api/v1/jobs/${part(id)}/events`, { signal: ending.signal }, (event) => {
      if (event.name === "progress" || event.name === "end") {
        const update = JSON.parse(event.data) as Partial<FullJob>;
        // What an update does not tell of waiting is over.
        client.setQueryData<FullJob>(["jobs", id], (is) =>
          is ? { ...is, waiting: undefined, ...update, id } : is,
        );
        refreshResults();
      }
      if (event.name === "end") void client.invalidateQueries({ queryKey: ["jobs", id] });
    }).catch(() => undefined); // it is asked for at intervals then
    return () => {
      ending.abort();
      if (timer) clearTimeout(timer);
    };
  }, [running, id, client]);

  return job;
}

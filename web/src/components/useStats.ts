import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import { noteServerTime } from "../api/serverTime";
import type { Stats } from "../api/types";
import { useMay } from "../app/session";

const every = 5_000;

// The cluster in one answer: systems by state, zones, nodes. Asked by all pages as one.
export function useStats() {
  return useQuery({
    queryKey: ["stats"],
    queryFn: async ({ signal }) => {
      const stats = await api.get<Stats>("/api/v1/stats", { signal });
      noteServerTime(stats.at);
      return stats;
    },
    refetchInterval: every,
    enabled: useMay("topology.read"),
  });
}

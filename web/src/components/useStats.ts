import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import type { Stats } from "../api/types";
import { useMay } from "../app/session";

const every = 5_000;

// The cluster in one answer: systems by state, zones, nodes. Asked by all pages as one.
export function useStats() {
  return useQuery({
    queryKey: ["stats"],
    queryFn: ({ signal }) => api.get<Stats>("/api/v1/stats", { signal }),
    refetchInterval: every,
    enabled: useMay("topology.read"),
  });
}

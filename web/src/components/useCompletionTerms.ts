// What the cluster has of the words that expressions are made of.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "../api/client";
import type { Group, Page } from "../api/types";
import { useMay } from "../app/session";
import { useZone } from "../app/zone";
import type { CompletionTerms } from "./completion";
import { useStats } from "./useStats";

export function useGroups() {
  return useQuery({
    queryKey: ["groups"],
    queryFn: ({ signal }) => api.get<Page<Group>>("/api/v1/groups", { signal }),
    staleTime: 30_000,
    enabled: useMay("fleet.read"),
  });
}

const none: string[] = [];

export function useCompletionTerms(tags: string[] = none): CompletionTerms {
  const { zones } = useZone();
  const stats = useStats();
  const groups = useGroups();
  return useMemo(
    () => ({
      zones: zones.map((zone) => zone.name),
      nodes: stats.data?.nodes.map((node) => node.name) ?? [],
      groups: groups.data?.items.map((group) => group.name) ?? [],
      tags,
    }),
    [zones, stats.data, groups.data, tags],
  );
}

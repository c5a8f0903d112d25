// The zone that everything shown is limited to; "" is the whole cluster. It is remembered.
import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { api } from "../api/client";
import type { Page, Zone } from "../api/types";
import { useMay } from "./session";

interface ZoneChoice {
  zone: string;
  choose: (zone: string) => void;
  zones: Zone[];
}

const context = createContext<ZoneChoice>({ zone: "", choose: () => undefined, zones: [] });
const place = "muster.zone";

// What is proposed where one zone must be chosen.
export function usualZone({ zone, zones }: Pick<ZoneChoice, "zone" | "zones">): string {
  if (zone !== "") return zone;
  return zones.some((zone) => zone.name === "default") ? "default" : (zones[0]?.name ?? "default");
}

export function useZone(): ZoneChoice {
  return useContext(context);
}

export function ZoneProvider({ children }: { children: ReactNode }) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(place) ?? "");
  const allowed = useMay("topology.read");
  const zonesQuery = useQuery({
    queryKey: ["zones"],
    queryFn: ({ signal }) => api.get<Page<Zone>>("/api/v1/zones", { signal }),
    enabled: allowed,
    staleTime: 60_000,
  });
  const choice = useMemo<ZoneChoice>(() => {
    const zones = zonesQuery.data?.items ?? [];
    // A zone that is gone limits nothing.
    const zone = zonesQuery.data && !zones.some((zone) => zone.name === chosen) ? "" : chosen;
    return {
      zone,
      zones,
      choose: (next) => {
        localStorage.setItem(place, next);
        setChosen(next);
      },
    };
  }, [zonesQuery.data, chosen]);
  return <context.Provider value={choice}>{children}</context.Provider>;
}

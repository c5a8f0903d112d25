// An event in words.
import type { FleetEvent } from "../api/types";
import { plural } from "./format";

interface Named {
  name?: string;
  number?: number;
}

function systemsOf(event: FleetEvent): string {
  const systems = (event.data.systems as Named[] | undefined) ?? [];
  if (systems.length === 1) return systems[0]?.name ?? "a system";
  return plural(systems.length, "system");
}

function countsOf(event: FleetEvent): string {
  const counts = (event.data.counts ?? {}) as Record<string, number>;
  const parts = Object.entries(counts)
    .filter(([, value]) => value > 0)
    .map(([state, value]) => `${value} ${state.replaceAll("_", " ")}`);
  return parts.length > 0 ? `: ${parts.join(", ")}` : "";
}

function text(event: FleetEvent, name: string): string {
  const value = event.data[name];
  return typeof value === "string" ? value : "";
}

export function eventText(event: FleetEvent): string {
  const [noun, verb] = event.kind.split(".");
  const by = event.by ? ` by ${event.by}` : "";
  const reason = text(event, "reason") ? `: ${text(event, "reason")}` : "";
  switch (noun) {
    case "system":
      return `${systemsOf(event)} ${verb}${by}`;
    case "node":
      return `node ${event.node ?? ""} ${verb}${reason}`;
    case "zone":
      return `zone ${event.zone ?? ""} ${verb}${reason}`;
    case "job":
      if (verb === "made")
        return `job made${by}: ${text(event, "function")} ${text(event, "query")}`;
      return `job ${verb}${countsOf(event) || reason}`;
    default: {
      const name = text(event, "schedule") || text(event, "name") || text(event, "calendar");
      return `${noun} ${name ? `${name} ` : ""}${verb ?? ""}${by}${reason}`;
    }
  }
}

export function eventPlace(event: FleetEvent): string | undefined {
  if (event.job) return `/jobs/${event.job}`;
  const noun = event.kind.split(".")[0];
  if (event.kind === "node.drifted" || event.kind === "node.healed") return "/edits/nodes";
  if (noun === "node" || noun === "zone") return "/topology";
  if (noun === "schedule") return "/jobs/recurring"; // runs that recur; maintenance is "window"
  if (noun === "window" || noun === "calendar") return "/windows";
  if (noun === "edit" || noun === "revision" || noun === "leader") return "/edits";
  const systems = (event.data.systems as Named[] | undefined) ?? [];
  if (systems.length === 1 && systems[0]?.number) return `/systems/${systems[0].number}`;
  return undefined;
}

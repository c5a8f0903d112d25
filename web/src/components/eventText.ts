// An event in words.
import type { FleetEvent } from "../api/types";
import { plural, sentenceCase } from "./format";
import { stateText } from "./stateText";

interface Named {
  name?: string;
  number?: number;
}

function systemsOf(event: FleetEvent): string {
  const systems = (event.data.systems as Named[] | undefined) ?? [];
  if (systems.length === 1) return systems[0]?.name ?? "1 system";
  return plural(systems.length, "system");
}

function countsOf(event: FleetEvent): string {
  const counts = (event.data.counts ?? {}) as Record<string, number>;
  const parts = Object.entries(counts)
    .filter(([, value]) => value > 0)
    .map(([state, value]) => `${value} ${stateText(state).toLowerCase()}`);
  return parts.length > 0 ? `: ${parts.join(", ")}` : "";
}

function text(event: FleetEvent, name: string): string {
  const value = event.data[name];
  return typeof value === "string" ? value : "";
}

// Where the verb of a kind is not the operator's word.
const verbs: Record<string, string> = {
  "job.made": "created",
  "job.phase": "phase changed",
  "zone.held": "frozen",
  "node.drifted": "has outdated common data",
  "node.healed": "has current common data again",
  "schedule.ran": "started a job",
  "schedule.missed": "missed a run",
  "schedule.skipped": "skipped a run",
  "window.overrun": "has tasks running after its window",
  "edit.began": "started",
  "edit.drafted": "changed the draft",
};

const nouns: Record<string, string> = {
  schedule: "Recurring schedule",
  window: "Maintenance schedule",
  edit: "Edit session",
};

export function eventText(event: FleetEvent): string {
  const [noun = "", last = ""] = event.kind.split(".");
  const verb = verbs[event.kind] ?? last.replaceAll("_", " ");
  const by = event.by ? ` by ${event.by}` : "";
  const reason = text(event, "reason") ? `: ${text(event, "reason")}` : "";
  switch (noun) {
    case "system":
      return `${systemsOf(event)} ${verb}${by}`;
    case "node":
      return `Node ${event.node ?? ""} ${verb}${reason}`;
    case "zone":
      return `Zone ${event.zone ?? ""} ${verb}${reason}`;
    case "job":
      if (last === "made")
        return `Job ${verb}${by}: ${text(event, "function")} ${text(event, "query")}`;
      return `Job ${verb}${countsOf(event) || reason}`;
    default: {
      const name = text(event, "schedule") || text(event, "name") || text(event, "calendar");
      const subject = nouns[noun] ?? sentenceCase(noun);
      return `${subject} ${name ? `${name} ` : ""}${verb}${by}${reason}`;
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

// What somebody should look at, the worst first. Pure: what is known in, sentences out.
import { commonName } from "../../api/names";
import { word } from "../../api/query";
import type { FleetEvent, Job, Stats } from "../../api/types";
import { percent, plural } from "../../components/format";
import { jobText } from "../jobs/jobText";

export interface Alert {
  id: string;
  level: "danger" | "warning" | "info";
  title: string;
  detail?: string;
  to?: string; // where to go about it
  at?: string;
}

const headroomLeast = 0.1;
const isNow = "9999"; // what holds now comes before what happened
const order = { danger: 0, warning: 1, info: 2 };

function ofSystems(stats: Stats): Alert[] {
  const alerts: Alert[] = [];
  const { orphan, onboarded } = stats.systems;
  if (stats.systems.new > 0)
    alerts.push({
      id: "pool",
      level: "info",
      title: `${plural(stats.systems.new, "new system")} waiting for acceptance`,
      to: "/onboarding",
    });
  if (orphan > 0)
    alerts.push({
      id: "orphans",
      level: "warning",
      title: `${plural(orphan, "orphan system")}`,
      detail: `${percent(orphan / (orphan + onboarded))} of all systems are not attached to a node`,
      to: "/search?q=state%3Aorphan",
    });
  return alerts;
}

function ofNodes(stats: Stats): Alert[] {
  return stats.nodes.flatMap((node): Alert[] => {
    const about = { id: `node ${node.name}`, to: "/topology" };
    if (node.state === "faulty")
      return [{ ...about, level: "danger", title: `Node ${node.name} is faulty` }];
    if (node.state === "suspect" || node.state === "offline" || !node.there)
      return [
        {
          ...about,
          level: "warning",
          title: `Node ${node.name} is ${node.there ? node.state : "offline"}`,
        },
      ];
    if (node.headroom !== null && node.headroom < headroomLeast)
      return [
        {
          ...about,
          level: "warning",
          title: `Node ${node.name} is near its capacity limit`,
          detail: `${percent(node.headroom)} headroom left`,
        },
      ];
    return [];
  });
}

function ofZones(stats: Stats): Alert[] {
  return stats.zones
    .filter((zone) => zone.slots_unplaced > 0 && zone.systems > 0)
    .map((zone) => ({
      id: `zone ${zone.name}`,
      level: "danger" as const,
      title: `Zone ${zone.name} has systems without a node`,
      detail: `${plural(zone.slots_unplaced, "slot")} not assigned`,
      to: `/search?q=${encodeURIComponent(`zone:${word(zone.name)} and state:orphan`)}`,
    }));
}

function ofJobs(jobs: Job[]): Alert[] {
  return jobs.flatMap((job): Alert[] => {
    const about = { id: `job ${job.id}`, to: `/jobs/${job.id}`, at: job.changed };
    const failed = job.failed ?? job.counts?.failed ?? 0;
    const jobName = `${jobText(job)} by ${commonName(job.by)}`;
    if (job.stage === "halted")
      return [{ ...about, level: "danger", title: `Job halted: ${jobName}`, detail: job.reason }];
    if (failed > 0)
      return [
        {
          ...about,
          level: "warning",
          title: `Job failed on ${plural(failed, "system")}: ${jobName}`,
          detail: job.note || undefined,
        },
      ];
    return [];
  });
}

// The ends of jobs, which tell how many systems failed: the API finds no jobs by that.
export const jobEnds = "job.done,job.cancelled,job.expired";

function ofEnds(ends: FleetEvent[], listedJobs: Set<string>): Alert[] {
  return ends.flatMap((event): Alert[] => {
    const counts = (event.data.counts ?? {}) as Record<string, number>;
    const failed = counts.failed ?? 0;
    if (!event.job || listedJobs.has(event.job) || failed === 0) return [];
    return [
      {
        id: `job ${event.job}`,
        to: `/jobs/${event.job}`,
        at: event.at,
        level: "warning",
        title: `Job failed on ${plural(failed, "system")}: ${event.job}`,
      },
    ];
  });
}

const eventAlerts: Record<string, { level: Alert["level"]; title: string; to: string }> = {
  "window.overrun": {
    level: "warning",
    title: "Tasks still running after the window closed",
    to: "/windows",
  },
  "schedule.missed": {
    level: "warning",
    title: "Recurring schedule missed a run",
    to: "/jobs/recurring",
  },
  "zone.held": {
    level: "danger",
    title: "Zone frozen: more than half of its nodes are missing",
    to: "/topology",
  },
  "node.drifted": { level: "warning", title: "Node has outdated common data", to: "/edits/nodes" },
};

export const alertKinds = Object.keys(eventAlerts).concat("node.healed").join(",");

function subjectOf(event: FleetEvent): string {
  const subject = event.node ?? event.zone ?? event.data.schedule ?? event.data.name;
  return typeof subject === "string" ? subject : "";
}

// What happened to the same thing again and again is one concern, as old as the last time.
function ofEvents(events: FleetEvent[]): Alert[] {
  const healed = new Map<string, string>();
  for (const { kind, node = "", at } of events)
    if (kind === "node.healed" && at > (healed.get(node) ?? "")) healed.set(node, at);
  const alerts = new Map<string, Alert & { at: string; times: number }>();
  for (const event of events) {
    const template = eventAlerts[event.kind];
    if (!template) continue;
    if (event.kind === "node.drifted" && (healed.get(event.node ?? "") ?? "") >= event.at) continue;
    const subject = subjectOf(event);
    const id = `${event.kind} ${subject}`;
    const before = alerts.get(id);
    const reason = typeof event.data.reason === "string" ? event.data.reason : undefined;
    const last = before && before.at > event.at ? before : { at: event.at, detail: reason };
    alerts.set(id, {
      ...template,
      id,
      at: last.at,
      detail: last.detail,
      title: subject === "" ? template.title : `${template.title}: ${subject}`,
      times: (before?.times ?? 0) + 1,
    });
  }
  return [...alerts.values()].map(({ times, ...alert }) =>
    times > 1 ? { ...alert, title: `${alert.title} (${times} times)` } : alert,
  );
}

export interface ClusterState {
  stats?: Stats;
  jobs?: Job[];
  ends?: FleetEvent[]; // of jobs, also of those that are not among `jobs`
  events?: FleetEvent[];
}

// What the server tells of one zone. Who waits is in no zone yet.
function statsWithin(stats: Stats, zone: string): Stats {
  const selected = stats.zones.find((zoneStats) => zoneStats.name === zone);
  if (!selected) return stats;
  const onboarded = Math.min(selected.attached, selected.systems);
  return {
    ...stats,
    systems: { ...stats.systems, onboarded, orphan: selected.systems - onboarded },
    zones: [selected],
    nodes: stats.nodes.filter((node) => node.zone === zone),
  };
}

// Whether an event is about another zone. Jobs, windows and recurring runs are of no single one.
function isElsewhere(event: FleetEvent, zone: string, stats: Stats | undefined): boolean {
  const node = stats?.nodes.find((node) => node.name === event.node);
  const eventZone = event.zone || node?.zone;
  return eventZone !== undefined && eventZone !== "" && eventZone !== zone;
}

// `zone`: about this one alone; "" is the whole cluster.
export function alertsOf(cluster: ClusterState, zone = ""): Alert[] {
  const stats = cluster.stats && zone !== "" ? statsWithin(cluster.stats, zone) : cluster.stats;
  const events = (cluster.events ?? []).filter(
    (event) => zone === "" || !isElsewhere(event, zone, cluster.stats),
  );
  const jobs = cluster.jobs ?? [];
  const alerts = [
    ...(stats ? [...ofZones(stats), ...ofNodes(stats), ...ofSystems(stats)] : []),
    ...ofJobs(jobs),
    // Which zones the systems of a job are in is known of those that are listed only.
    ...(zone === "" ? ofEnds(cluster.ends ?? [], new Set(jobs.map((job) => job.id))) : []),
    ...ofEvents(events),
  ];
  return alerts.sort(
    (a, b) => order[a.level] - order[b.level] || (b.at ?? isNow).localeCompare(a.at ?? isNow),
  );
}

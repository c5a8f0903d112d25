// The moments of a system's life, and the deeds that were about it.
import type { FleetEvent, System } from "../../api/types";
import { eventText } from "../../components/eventText";

export interface Milestone {
  at: string;
  what: string;
  kind: "good" | "warn" | "bad" | "info";
}

export interface AuditEntry {
  id: string;
  at: string;
  who: string;
  what: string;
  origin: string;
  outcome: string;
  detail: string;
}

const kinds: Record<string, Milestone["kind"]> = {
  "system.accepted": "good",
  "system.deleted": "bad",
  "system.rejected": "warn",
  "system.unregistered": "warn",
};

export function milestones(system: System, events: FleetEvent[]): Milestone[] {
  const made: Milestone[] = [
    { at: system.enrolled, what: `enrolled from ${system.origin}`, kind: "info" },
    ...events.map((event): Milestone => {
      const [, verb = event.kind] = event.kind.split(".");
      const systems = (event.data.systems as unknown[] | undefined)?.length ?? 1;
      const by = event.by ? ` by ${event.by}` : "";
      const among = systems > 1 ? ` with ${systems - 1} more` : "";
      const zone = event.zone && verb !== "deleted" ? `, zone ${event.zone}` : "";
      return {
        at: event.at,
        what: event.kind.startsWith("system.") ? `${verb}${by}${among}${zone}` : eventText(event),
        kind: kinds[event.kind] ?? "info",
      };
    }),
  ];
  if (system.accepted && !events.some((event) => event.kind === "system.accepted"))
    made.push({
      at: system.accepted,
      what: `accepted by ${system.accepted_by || "a rule"}`,
      kind: "good",
    });
  if (system.last_seen)
    made.push(
      system.state === "onboarded"
        ? { at: system.last_seen, what: `attached to ${system.node ?? "a node"}`, kind: "good" }
        : {
            at: system.last_seen,
            what: `seen last: ${system.reason || "it went away"}`,
            kind: "warn",
          },
    );
  return made.sort((one, other) => other.at.localeCompare(one.at));
}

// The moments of a system's life, and the deeds that were about it.
import type { FleetEvent, System } from "../../api/types";
import { eventText } from "../../components/eventText";
import { sentenceCase } from "../../components/format";

export interface Milestone {
  at: string;
  text: string;
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

// `attached`: since when it is attached to its node, if that is known.
export function milestones(
  system: System,
  events: FleetEvent[],
  attached?: { at: string; node: string },
): Milestone[] {
  const milestoneList: Milestone[] = [
    { at: system.enrolled, text: `Enrolled from ${system.origin}`, kind: "info" },
    ...events.map((event): Milestone => {
      const [, verb = event.kind] = event.kind.split(".");
      const systems = (event.data.systems as unknown[] | undefined)?.length ?? 1;
      const by = event.by ? ` by ${event.by}` : "";
      const among = systems > 1 ? ` with ${systems - 1} more` : "";
      const zone = event.zone && verb !== "deleted" ? `, zone ${event.zone}` : "";
      return {
        at: event.at,
        text: event.kind.startsWith("system.")
          ? `${sentenceCase(verb)}${by}${among}${zone}`
          : eventText(event),
        kind: kinds[event.kind] ?? "info",
      };
    }),
  ];
  if (system.accepted && !events.some((event) => event.kind === "system.accepted"))
    milestoneList.push({
      at: system.accepted,
      text: `Accepted by ${system.accepted_by || "a rule"}`,
      kind: "good",
    });
  if (system.state === "onboarded" && attached)
    milestoneList.push({ at: attached.at, text: `Attached to ${attached.node}`, kind: "good" });
  if (system.state !== "onboarded" && system.last_seen)
    milestoneList.push({
      at: system.last_seen,
      text: `Last seen: ${system.reason || "detached"}`,
      kind: "warn",
    });
  return milestoneList.sort((a, b) => b.at.localeCompare(a.at));
}

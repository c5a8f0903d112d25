// Which queries (by the first words of their keys) an event of a kind may have changed. Queries of
// events themselves are asked again by the kinds they show, not by every event.
const byNoun: Record<string, string[]> = {
  job: ["jobs"],
  system: ["systems", "keys", "stats", "events system"],
  node: ["nodes", "topology", "stats", "events topology", "events troubles"],
  zone: ["zones", "topology", "stats", "events topology", "events troubles"],
  window: ["windows", "events troubles"],
  calendar: ["windows"],
  schedule: ["schedules", "jobs", "events troubles"],
  revision: ["edits", "groups", "rules", "windows", "roles"],
  edit: ["edits"],
  leader: ["edits", "events topology"],
};

export function queryKeysForEvent(kind: string): string[] {
  return byNoun[kind.split(".")[0] ?? ""] ?? [];
}

// The beginning of the keys that a topic means.
export function queryKeyOf(topic: string): string[] {
  return topic.split(" ");
}

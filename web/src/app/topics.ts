// Which queries (by the first word of their keys) an event of a kind may have changed.
const byNoun: Record<string, string[]> = {
  job: ["jobs"],
  system: ["systems", "keys", "stats"],
  node: ["nodes", "topology", "stats"],
  zone: ["zones", "topology", "stats"],
  window: ["windows"],
  calendar: ["windows"],
  schedule: ["schedules", "jobs"],
  revision: ["edits", "groups", "rules", "windows", "roles"],
  edit: ["edits"],
  leader: ["edits"],
};

export function topicsOf(kind: string): string[] {
  return [...(byNoun[kind.split(".")[0] ?? ""] ?? []), "events"];
}

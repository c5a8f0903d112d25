// Short words for a job.
import type { Job } from "../../api/types";
import type { Share } from "../../components/ShareBar";

const shownMost = 60;

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > shownMost ? `${line.slice(0, shownMost - 1)}…` : line;
}

export function jobText(job: Pick<Job, "function" | "arguments">): string {
  const args = job.arguments as Record<string, unknown> | null;
  if (job.function === "cmd.run" && args) {
    if (typeof args.cmd === "string") return cut(args.cmd);
    if (Array.isArray(args.cmd)) return cut(args.cmd.join(" "));
  }
  if (args && Array.isArray(args.steps)) return `chain of ${args.steps.length} steps`;
  const names = args ? Object.keys(args) : [];
  return cut(names.length === 0 ? job.function : `${job.function} (${names.join(", ")})`);
}

const ends = ["done", "halted", "cancelled", "expired"];

export function hasEnded(job: Pick<Job, "stage">): boolean {
  return ends.includes(job.stage);
}

// How a job stands in one word: also what its stage alone does not tell.
export function standing(job: Job): { state: string; text: string } {
  const failed = job.counts?.failed ?? 0;
  if (job.stage === "done" && failed > 0) return { state: "failed", text: "done, with failures" };
  if (job.stage === "open" && job.phase !== "everybody")
    return { state: "open", text: job.phase === "nobody" ? "waits for jobs" : job.phase };
  return { state: job.stage, text: job.stage === "open" ? "running" : job.stage };
}

const kinds: [string, string, Share["kind"]][] = [
  ["completed", "completed", "good"],
  ["failed", "failed", "bad"],
  ["picked_up", "running", "info"],
  ["queued", "queued", "idle"],
  ["cancelled", "cancelled", "warn"],
  ["expired", "expired", "warn"],
];

export function sharesOf(counts: Record<string, number>): Share[] {
  return kinds
    .map(([state, label, kind]) => ({ label, value: counts[state] ?? 0, kind }))
    .filter((share) => share.value > 0 || share.label === "completed" || share.label === "failed");
}

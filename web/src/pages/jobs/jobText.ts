// Short words for a job.
import type { Job } from "../../api/types";
import { sentenceCase } from "../../components/format";
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
  if (args && Array.isArray(args.steps)) return `Chain of ${args.steps.length} steps`;
  const names = args ? Object.keys(args) : [];
  return cut(names.length === 0 ? job.function : `${job.function} (${names.join(", ")})`);
}

const ends = ["done", "halted", "cancelled", "expired"];

export function hasEnded(job: Pick<Job, "stage">): boolean {
  return ends.includes(job.stage);
}

// Whether all that is left of a job waits for maintenance windows: nothing of it runs.
export function waitsForWindows(job: Job): boolean {
  const waiting = (job.waiting ?? []).reduce((sum, { systems }) => sum + systems, 0);
  return job.stage === "open" && waiting > 0 && job.targets - (job.ended ?? 0) <= waiting;
}

const phases: Record<string, string> = {
  nobody: "Waiting for other jobs",
  canaries: "Running canaries",
};

// How a job stands in a few words: also what its stage alone does not tell.
export function standing(job: Job): { state: string; text?: string } {
  const failed = job.counts?.failed ?? 0;
  if (job.stage === "done" && failed > 0) return { state: "failed", text: "Done, with failures" };
  if (waitsForWindows(job)) return { state: "waiting", text: "Waiting for window" };
  if (job.stage === "open" && job.phase !== "everybody")
    return { state: "open", text: phases[job.phase] ?? sentenceCase(job.phase) };
  return { state: job.stage };
}

const kinds: [string, string, Share["kind"]][] = [
  ["completed", "Completed", "good"],
  ["failed", "Failed", "bad"],
  ["picked_up", "Running", "info"],
  ["queued", "Queued", "idle"],
  ["cancelled", "Cancelled", "warn"],
  ["expired", "Expired", "warn"],
];

export function sharesOf(counts: Record<string, number>): Share[] {
  return kinds
    .map(([state, label, kind]) => ({ label, value: counts[state] ?? 0, kind }))
    .filter((share) => share.value > 0 || share.kind === "good" || share.kind === "bad");
}

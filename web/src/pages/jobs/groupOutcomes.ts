// Outcomes whose text differs only by numbers, addresses, times and the like are one kind of
// failure: what a thousand machines say each in its own words is read once.
import type { Outcome, Output } from "./types";

export interface OutcomeGroup {
  key: string;
  state: string;
  exit_code: number;
  title: string; // the line that says it, of the largest outcome
  count: number;
  outcomes: Outcome[]; // the largest first
}

// What a command wrote, whichever function it was.
export function textOf(output: Output | undefined): { out: string; err: string } {
  if (output === undefined || output === null) return { out: "", err: "" };
  if (typeof output === "string") return { out: output, err: "" };
  if (typeof output === "object" && !Array.isArray(output) && "stdout" in output) {
    const { stdout, stderr } = output as { stdout?: unknown; stderr?: unknown };
    return { out: String(stdout ?? ""), err: String(stderr ?? "") };
  }
  return { out: JSON.stringify(output, null, 2), err: "" };
}

// The line that most likely says what is wrong: the last one of what was written as an error.
export function summaryLine(outcome: Outcome): string {
  const { out, err } = textOf(outcome.output);
  const lines = (err.trim() === "" ? out : err).split("\n").filter((line) => line.trim() !== "");
  return lines[lines.length - 1]?.trim() || outcome.reason || "No output";
}

const variableParts: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g, "⟨time⟩"],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, "⟨id⟩"],
  [/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, "⟨address⟩"],
  [/\b(0x)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}\b/gi, "⟨hex⟩"],
  [/\d+/g, "⟨n⟩"],
];

export function maskVariableParts(line: string): string {
  return variableParts
    .reduce((text, [pattern, word]) => text.replace(pattern, word), line)
    .slice(0, 500);
}

// Failures first, then what is most frequent.
export function groupOutcomes(outcomes: Outcome[]): OutcomeGroup[] {
  const groups = new Map<string, OutcomeGroup>();
  for (const outcome of [...outcomes].sort((a, b) => b.count - a.count)) {
    const line = summaryLine(outcome);
    // What succeeded is told apart by its output alone: its differences are what is asked for.
    const words = outcome.state === "failed" ? maskVariableParts(line) : (outcome.digest ?? line);
    const key = `${outcome.state} ${outcome.exit_code} ${words}`;
    const group = groups.get(key);
    if (group) {
      group.count += outcome.count;
      group.outcomes.push(outcome);
    } else {
      groups.set(key, {
        key,
        state: outcome.state,
        exit_code: outcome.exit_code,
        title: line,
        count: outcome.count,
        outcomes: [outcome],
      });
    }
  }
  const rank = (group: OutcomeGroup) => (group.state === "failed" ? 0 : 1);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count);
}

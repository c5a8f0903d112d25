// When a system was there, and when it was not. Pure: segments in, bars and sentences out.
import { percent, sentenceCase } from "../../components/format";

export type Presence = "new" | "onboarded" | "orphan" | "deleted" | "unknown";

export interface Segment {
  from: string;
  until: string | null; // null: it goes on
  state: Presence;
  node: string | null;
  reason: string | null;
}

export interface Line {
  since: string;
  until: string;
  items: Segment[];
}

export interface Bar {
  state: Presence;
  from: number; // shares of the whole line
  width: number;
}

// Of what lies too close together to be drawn, the worst is seen.
const worst: Presence[] = ["orphan", "deleted", "unknown", "new", "onboarded"];

export const words: Record<Presence, string> = {
  onboarded: "attached",
  orphan: "not attached",
  new: "pending acceptance",
  deleted: "deleted",
  unknown: "unknown",
};

function spanOf(line: Line, segment: Segment): [number, number] {
  const [since, until] = [Date.parse(line.since), Date.parse(line.until)];
  const end = segment.until === null ? until : Date.parse(segment.until);
  return [Math.max(since, Date.parse(segment.from)), Math.min(until, end)];
}

// The line in at most `slices` pieces, neighbours of one state as one bar.
export function barsOf(line: Line, slices: number): Bar[] {
  const [since, until] = [Date.parse(line.since), Date.parse(line.until)];
  if (!(until > since)) return [];
  const ranks = new Array<number>(slices).fill(worst.length);
  for (const segment of line.items) {
    const [from, to] = spanOf(line, segment);
    if (to < from) continue;
    const first = Math.min(slices - 1, Math.floor(((from - since) / (until - since)) * slices));
    const last = Math.max(first + 1, Math.ceil(((to - since) / (until - since)) * slices));
    // A segment that ends where a slice begins is not in it.
    for (let at = first; at < Math.min(last, slices); at += 1)
      ranks[at] = Math.min(ranks[at] ?? worst.length, worst.indexOf(segment.state));
  }
  const bars: Bar[] = [];
  for (const [at, rank] of ranks.entries()) {
    const state = worst[rank] ?? "unknown";
    const before = bars[bars.length - 1];
    if (before?.state === state) before.width += 1 / slices;
    else bars.push({ state, from: at / slices, width: 1 / slices });
  }
  return bars;
}

// How much of the time it was in which state, the most first: "attached 98 %, unknown 2 %".
export function sharesOf(line: Line): { state: Presence; share: number }[] {
  const spent = new Map<Presence, number>();
  let whole = 0;
  for (const segment of line.items) {
    const [from, to] = spanOf(line, segment);
    if (to <= from) continue;
    spent.set(segment.state, (spent.get(segment.state) ?? 0) + to - from);
    whole += to - from;
  }
  return [...spent]
    .map(([state, time]) => ({ state, share: time / whole }))
    .sort((a, b) => b.share - a.share);
}

// Nearly always is not always: what is not whole is never told as 100 %.
export function shareWords({ state, share }: { state: Presence; share: number }): string {
  const percentage =
    share < 1 && share > 0.99 ? `${(Math.floor(share * 1000) / 10).toFixed(1)} %` : percent(share);
  return `${words[state]} ${percentage}`;
}

// Since when a system is attached to its node without a break; nothing if the record does not tell.
// (`last_seen` is no answer: it moves with every report of the node.)
export function attachedSince(line: Line): { at: string; node: string } | undefined {
  const last = line.items.at(-1);
  if (last?.state !== "onboarded" || last.until !== null || !last.node) return undefined;
  // What began before the record does not begin with it.
  return last.from > line.since ? { at: last.from, node: last.node } : undefined;
}

export interface Change {
  at: string;
  text: string;
  state: Presence;
}

function whatHappened(is: Segment, before: Segment | undefined): string {
  const node = is.node ?? "a node";
  switch (is.state) {
    case "onboarded":
      if (before?.state === "onboarded" && before.node !== is.node)
        return `Moved from ${before.node ?? "a node"} to ${node}`;
      return before?.state === "onboarded" ? `Reattached to ${node}` : `Attached to ${node}`;
    case "orphan":
      // One that was just accepted was never attached.
      return `${is.node ? `Detached from ${is.node}` : "Not attached"}${is.reason ? `: ${is.reason}` : ""}`;
    case "unknown":
      return sentenceCase(is.reason ?? words.unknown);
    default:
      return sentenceCase(words[is.state]);
  }
}

// What changed, the last first. Where the line begins nothing did.
export function changesOf(line: Line, most: number): Change[] {
  const changes: Change[] = [];
  for (let at = line.items.length - 1; at > 0 && changes.length < most; at -= 1) {
    const is = line.items[at];
    if (is)
      changes.push({ at: is.from, text: whatHappened(is, line.items[at - 1]), state: is.state });
  }
  return changes;
}

// Moments within the server's own words, so that they are shown as all others are.

export type Piece = { text: string; at?: undefined } | { text: string; at: string };

// "2026-11-16 22:00:00 UTC" as sentences have it, "2026-11-16T22:00:00Z" as fields do.
const form = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z| UTC)(?!\w)/g;

export function timesIn(words: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of words.matchAll(form)) {
    const at = `${found[1]}T${found[2]}Z`;
    if (Number.isNaN(Date.parse(at))) continue;
    if (found.index > from) pieces.push({ text: words.slice(from, found.index) });
    pieces.push({ text: found[0], at });
    from = found.index + found[0].length;
  }
  if (from < words.length) pieces.push({ text: words.slice(from) });
  return pieces;
}

export function isMoment(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const [only, ...others] = timesIn(value);
  return only?.at !== undefined && others.length === 0;
}

// Moments within the server's own words, so that they are shown as all others are.

export type TextPart = { text: string; at?: undefined } | { text: string; at: string };

// "2026-11-16 22:00:00 UTC" as sentences have it, "2026-11-16T22:00:00Z" as fields do.
const form = /\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z| UTC)(?!\w)/g;

export function parseTimes(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(form)) {
    const at = `${match[1]}T${match[2]}Z`;
    if (Number.isNaN(Date.parse(at))) continue;
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ text: match[0], at });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

export function isMoment(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const [only, ...rest] = parseTimes(value);
  return only?.at !== undefined && rest.length === 0;
}

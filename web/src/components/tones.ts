// Colours that tell things apart, always beside their names (tones.css).
import "./tones.css";

export const toneCount = 8;

// The same name has the same colour on every page that knows the same names.
export function tonesOf(names: string[]): Map<string, number> {
  const sorted = [...new Set(names)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return new Map(sorted.map((name, index) => [name, index % toneCount]));
}

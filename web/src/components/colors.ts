// Colours that tell things apart, always beside their names (tones.css).
import "./colors.css";

export const colorCount = 8;

// The same name has the same colour on every page that knows the same names.
export function colorsFor(names: string[]): Map<string, number> {
  const sorted = [...new Set(names)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return new Map(sorted.map((name, index) => [name, index % colorCount]));
}

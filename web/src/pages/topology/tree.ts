// Zones as they lie within each other: parents before what is below them. Pure.

export interface Placed<T> {
  zone: T;
  depth: number;
}

export function inTree<T extends { name: string; parent: string }>(zones: T[]): Placed<T>[] {
  const known = new Set(zones.map((each) => each.name));
  const below = new Map<string, T[]>();
  for (const each of zones) {
    const parent = known.has(each.parent) ? each.parent : "";
    below.set(parent, [...(below.get(parent) ?? []), each]);
  }
  const placed: Placed<T>[] = [];
  const seen = new Set<string>();
  const put = (zone: T, depth: number) => {
    if (seen.has(zone.name)) return; // a loop is not followed
    seen.add(zone.name);
    placed.push({ zone, depth });
    for (const each of below.get(zone.name) ?? []) put(each, depth + 1);
  };
  for (const each of below.get("") ?? []) put(each, 0);
  for (const each of zones) put(each, 0);
  return placed;
}

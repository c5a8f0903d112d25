// Zones as they lie within each other: parents before what is below them. Pure.

export interface Placed<T> {
  zone: T;
  depth: number;
}

export function inTree<T extends { name: string; parent: string }>(zones: T[]): Placed<T>[] {
  const names = new Set(zones.map((zone) => zone.name));
  const below = new Map<string, T[]>();
  for (const zone of zones) {
    const parent = names.has(zone.parent) ? zone.parent : "";
    below.set(parent, [...(below.get(parent) ?? []), zone]);
  }
  const placed: Placed<T>[] = [];
  const visited = new Set<string>();
  const put = (zone: T, depth: number) => {
    if (visited.has(zone.name)) return; // a loop is not followed
    visited.add(zone.name);
    placed.push({ zone, depth });
    for (const child of below.get(zone.name) ?? []) put(child, depth + 1);
  };
  for (const child of below.get("") ?? []) put(child, 0);
  for (const zone of zones) put(zone, 0);
  return placed;
}

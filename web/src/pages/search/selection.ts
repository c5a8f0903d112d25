// Which of the systems found are picked.

import { isAll } from "../../api/query";
import type { System } from "../../api/types";
import { queryTarget, selectedTarget, type Target } from "../../components/actions/target";

export interface Selection {
  all: boolean; // all that match, also those not seen
  systems: Map<string, System>; // by fingerprint
}

export const noSystems: Selection = { all: false, systems: new Map() };
export const allMatching: Selection = { all: true, systems: new Map() };

export function toggled(now: Selection, system: System): Selection {
  const systems = new Map(now.all ? [] : now.systems);
  if (!systems.delete(system.fingerprint)) systems.set(system.fingerprint, system);
  return { all: false, systems };
}

// Who of the picked is meant after one was picked or not any more. Whoever is seen is found.
export function updateMatches(matches: Selection, chosen: Selection, system: System): Selection {
  const systems = new Map(matches.systems);
  if (has(chosen, system)) systems.set(system.fingerprint, system);
  else systems.delete(system.fingerprint);
  return { all: false, systems };
}

export function has(now: Selection, system: System): boolean {
  return now.all || now.systems.has(system.fingerprint);
}

// Of those picked, who is among those that were found.
export function intersect(now: Selection, matching: Iterable<System>): Selection {
  const systems = new Map<string, System>();
  for (const system of matching)
    if (now.systems.has(system.fingerprint)) systems.set(system.fingerprint, system);
  return { all: false, systems };
}

export const askedAtOnce = 100; // an expression has 256 conditions

// What finds those of the picked that an expression means, too; several, as each has its limits.
export function unmatchedFilter(now: Selection, query: string): string[] {
  const systems = [...now.systems.values()];
  const queries: string[] = [];
  for (let from = 0; from < systems.length; from += askedAtOnce) {
    const chunk = selectedTarget(systems.slice(from, from + askedAtOnce)).query;
    queries.push(isAll(query) ? chunk : `( ${query} ) and ( ${chunk} )`);
  }
  return queries;
}

// Nothing selected is nobody. All that match were selected as such.
export function targetOf(now: Selection, query: string, total: number): Target {
  return now.all ? queryTarget(query, total) : selectedTarget([...now.systems.values()]);
}

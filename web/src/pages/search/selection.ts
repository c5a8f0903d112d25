// Which of the systems found are picked.

import { isAll } from "../../api/query";
import type { System } from "../../api/types";
import { queryTarget, selectedTarget, type Target } from "../../components/actions/target";

export interface Selection {
  all: boolean; // everybody found, also those not seen
  some: Map<string, System>; // by fingerprint
}

export const nobody: Selection = { all: false, some: new Map() };

export function toggled(now: Selection, system: System): Selection {
  const some = new Map(now.all ? [] : now.some);
  if (!some.delete(system.fingerprint)) some.set(system.fingerprint, system);
  return { all: false, some };
}

// Who of the picked is meant after one was picked or not any more. Whoever is seen is found.
export function updateMatches(meant: Selection, chosen: Selection, system: System): Selection {
  const some = new Map(meant.some);
  if (has(chosen, system)) some.set(system.fingerprint, system);
  else some.delete(system.fingerprint);
  return { all: false, some };
}

export function has(now: Selection, system: System): boolean {
  return now.all || now.some.has(system.fingerprint);
}

// Of those picked, who is among those that were found.
export function kept(now: Selection, found: Iterable<System>): Selection {
  const some = new Map<string, System>();
  for (const system of found)
    if (now.some.has(system.fingerprint)) some.set(system.fingerprint, system);
  return { all: false, some };
}

export const askedAtOnce = 100; // an expression has 256 conditions

// What finds those of the picked that an expression means, too; several, as each has its limits.
export function unmatchedFilter(now: Selection, query: string): string[] {
  const systems = [...now.some.values()];
  const asked: string[] = [];
  for (let from = 0; from < systems.length; from += askedAtOnce) {
    const some = selectedTarget(systems.slice(from, from + askedAtOnce)).query;
    asked.push(isAll(query) ? some : `( ${query} ) and ( ${some} )`);
  }
  return asked;
}

// Somebody was picked, but nobody of them is found: then no action is about anybody.
export function meansNobody(chosen: Selection, meant: Selection): boolean {
  return chosen.some.size > 0 && meant.some.size === 0;
}

// Nothing picked means everybody found: what one sees is what one acts on.
export function targetOf(now: Selection, query: string, total: number): Target {
  return now.some.size > 0 ? selectedTarget([...now.some.values()]) : queryTarget(query, total);
}

// Which of the systems found are picked.

import type { System } from "../../api/types";
import { everybody, picked, type Target } from "../../components/actions/target";

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

export function has(now: Selection, system: System): boolean {
  return now.all || now.some.has(system.fingerprint);
}

// Nothing picked means everybody found: what one sees is what one acts on.
export function targetOf(now: Selection, query: string, total: number): Target {
  return now.some.size > 0 ? picked([...now.some.values()]) : everybody(query, total);
}

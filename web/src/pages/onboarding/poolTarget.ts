// The keys that a decision applies to. Never keys of another stage than the one shown: for the server
// an expression matches accepted systems, too.
import type { System } from "../../api/types";
import { selectedTarget, type Target } from "../../components/actions/target";
import type { Stage } from "./usePool";

interface ListedKeys {
  stage: Stage;
  settled: string; // the expression that `whole` is the answer to
  whole?: System[]; // all that there are, if they are few
}

// The parentheses stand alone: that is how both dialects of expressions read them.
export function within({ stage, settled }: Pick<ListedKeys, "stage" | "settled">): string {
  return `state:${stage} and ( ${settled.trim() || "*"} )`;
}

export interface PoolSelection {
  all: boolean; // all that match
  picks: System[]; // selected one by one
  total: number | undefined; // that match; undefined: not counted yet
}

// Nothing selected is nobody; all that match before they were counted, too.
export function poolTarget({ all, picks, total = 0 }: PoolSelection, listed: ListedKeys): Target {
  if (!all) return selectedTarget(picks);
  const query = within(listed);
  // Those one has seen, and nobody who came meanwhile.
  if (listed.whole) return { ...selectedTarget(listed.whole), query };
  return { query, count: total };
}

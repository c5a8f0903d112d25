// Whom a decision about keys is about. Never anybody outside of the stage that is shown: the server
// takes an expression to mean accepted systems, too.
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

export function poolTarget(picks: System[], listed: ListedKeys): Target {
  if (picks.length > 0) return selectedTarget(picks);
  const query = within(listed);
  // Those one has seen, and nobody who came meanwhile.
  if (listed.whole) return { ...selectedTarget(listed.whole), query };
  return { query, count: Number.NaN };
}

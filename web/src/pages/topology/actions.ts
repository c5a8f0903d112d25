// What can be done with a node as it stands (docs/placement.md). Pure.
import type { NodeRecord } from "./types";

export type NodeVerb = "stage" | "accept" | "drain" | "undrain" | "give-up" | "remove";

export interface NodeAction {
  verb: NodeVerb;
  label: string;
  about: string;
  danger?: boolean;
}

const actions: Record<NodeVerb, Omit<NodeAction, "verb">> = {
  stage: {
    label: "Stage…",
    about: "The node drops whatever it holds and is made ready to be taken in.",
  },
  accept: { label: "Accept into a zone…", about: "It is given slots of that zone and serves." },
  drain: {
    label: "Drain…",
    about: "It gives its systems to others step by step, and is given none any more.",
  },
  undrain: { label: "Let it serve again…", about: "It is given its share of the systems again." },
  "give-up": {
    label: "Give up…",
    about:
      "Its systems go to others at once. It has to be staged and accepted again, also if it still runs.",
    danger: true,
  },
  remove: { label: "Remove…", about: "The cluster forgets this node.", danger: true },
};

export function actionsFor(node: NodeRecord): NodeAction[] {
  const verbs: NodeVerb[] = [];
  if (node.state === "pooled") verbs.push("stage");
  if (node.state === "staged") verbs.push("accept");
  if (node.state === "serving") verbs.push(node.leaving ? "undrain" : "drain");
  if (node.state === "suspect") verbs.push("give-up");
  const idle = node.state === "serving" ? node.leaving === true : node.state !== "suspect";
  if (node.state !== "no node" && idle && (node.slots ?? 0) === 0) verbs.push("remove");
  return verbs.map((verb) => ({ verb, ...actions[verb] }));
}

// How a node stands, in one word.
export function stateOf(node: NodeRecord): string {
  if (node.state === "serving" && node.leaving)
    return (node.slots ?? 0) > 0 ? "draining" : "drained";
  return node.state;
}

// What can be done with a node as it stands (docs/concepts/placement.md). Pure.
import type { NodeRecord } from "./types";

export type NodeVerb = "stage" | "accept" | "drain" | "undrain" | "evict" | "remove";

export interface NodeAction {
  verb: NodeVerb;
  label: string;
  done: string; // "Node n1 drained"
  about: string;
  danger?: boolean;
}

const actions: Record<NodeVerb, Omit<NodeAction, "verb">> = {
  stage: {
    label: "Stage node…",
    done: "staged",
    about: "The node deletes its data and becomes ready for acceptance.",
  },
  accept: {
    label: "Accept into zone…",
    done: "accepted",
    about: "The node receives slots of the zone and starts to serve systems.",
  },
  drain: {
    label: "Drain node…",
    done: "drained",
    about:
      "The node hands its systems over to other nodes step by step and receives no new systems.",
  },
  undrain: {
    label: "Undrain node…",
    done: "undrained",
    about: "The node receives its share of the systems again.",
  },
  evict: {
    label: "Evict node…",
    done: "evicted",
    about:
      "The systems of this node move to other nodes immediately. The node must be staged and accepted again, even if it is still running.",
    danger: true,
  },
  remove: {
    label: "Remove node…",
    done: "removed",
    about: "The node is removed from the cluster.",
    danger: true,
  },
};

export function actionsFor(node: NodeRecord): NodeAction[] {
  const verbs: NodeVerb[] = [];
  if (node.state === "pooled") verbs.push("stage");
  if (node.state === "staged") verbs.push("accept");
  if (node.state === "serving") verbs.push(node.leaving ? "undrain" : "drain");
  if (node.state === "suspect") verbs.push("evict");
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

// States of the server as operators read them.
import { sentenceCase } from "./format";

// Where the server's word is not the operator's.
const labels: Record<string, string> = {
  picked_up: "Running",
  open: "Running",
};

export function stateText(state: string): string {
  return labels[state] ?? sentenceCase(state);
}

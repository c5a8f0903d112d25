// Words for states, with a colour and never by colour alone.
import { Label } from "@patternfly/react-core";
import { stateText } from "./stateText";

type Colour = "green" | "orange" | "red" | "blue" | "grey" | "yellow" | "purple" | "teal";

const colours: Record<string, Colour> = {
  onboarded: "green",
  orphan: "orange",
  new: "blue",
  pooled: "blue",
  rejected: "grey",
  deleted: "red",
  // tasks
  completed: "green",
  failed: "red",
  cancelled: "grey",
  expired: "orange",
  queued: "blue",
  picked_up: "teal",
  // jobs
  open: "teal",
  running: "teal",
  waiting: "blue",
  paused: "yellow",
  halted: "red",
  cancelling: "grey",
  done: "green",
  // nodes
  serving: "green",
  draining: "yellow",
  drained: "grey",
  staged: "blue",
  offline: "orange",
  suspect: "orange",
  faulty: "red",
};

export function StateLabel({ state, text }: { state: string; text?: string }) {
  return (
    <Label color={colours[state] ?? "grey"} isCompact>
      {text ?? stateText(state)}
    </Label>
  );
}

// Marks a value that is drafted and not live yet.
import { Label } from "@patternfly/react-core";
import type { DraftState } from "./overlay";

const texts: Record<DraftState, string> = {
  new: "Draft: new",
  changed: "Draft: changed",
  deleted: "Draft: to be deleted",
};
const colours = { new: "green", changed: "blue", deleted: "red" } as const;

export function DraftLabel({ state }: { state: DraftState | undefined }) {
  if (!state) return null;
  return (
    <Label isCompact color={colours[state]}>
      {texts[state]}
    </Label>
  );
}

// What is selected of a list, and the way to select all that match. Nothing selected is nothing:
// actions are about what was selected, and about nothing else.
import { Button } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { count, plural } from "./format";

interface Props {
  selected: number; // one by one
  all: boolean; // all that match
  total: number | undefined; // that match; undefined: not counted yet
  warning?: ReactNode;
  onAll: () => void;
  onClear: () => void;
}

export function SelectionBar({ selected, all, total, warning, onAll, onClear }: Props) {
  const any = all || selected > 0;
  return (
    <span className="selection-bar">
      <span aria-live="polite">
        {warning} {selectionText({ selected, all, total })}
      </span>{" "}
      {!all && total !== 0 && (
        <Button variant="link" isInline onClick={onAll}>
          Select all {total === undefined ? "" : `${count(total)} `}matching
        </Button>
      )}{" "}
      {any && (
        <Button variant="link" isInline onClick={onClear}>
          Clear selection
        </Button>
      )}
    </span>
  );
}

export function selectionText({ selected, all, total }: Pick<Props, "selected" | "all" | "total">) {
  if (all) return total === undefined ? "Counting…" : `All ${count(total)} matching selected`;
  return selected === 0 ? "No systems selected" : `${plural(selected, "system")} selected`;
}

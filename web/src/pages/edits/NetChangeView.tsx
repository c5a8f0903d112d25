// One item of the draft: its net difference, and the single changes that lead to it.
import { Alert, Button, ExpandableSection, Label } from "@patternfly/react-core";
import { useState } from "react";
import { itemTitle } from "../../components/draft/sectionNames";
import type { Change } from "../../components/editTypes";
import { plural } from "../../components/format";
import type { DiffLine } from "../../components/lineDiff";
import { Time } from "../../components/Time";
import { DiffView } from "./DiffView";
import { diffOf, textOf } from "./diff";
import type { Net, NetChange, Step } from "./netChanges";

const labels: Record<Net, { text: string; color: "green" | "red" | "blue" | "grey" }> = {
  new: { text: "New", color: "green" },
  changed: { text: "Changed", color: "blue" },
  deleted: { text: "To be deleted", color: "red" },
  none: { text: "No net change", color: "grey" },
  assignment: { text: "Assignment", color: "blue" },
  unclear: { text: "Changed", color: "blue" },
  hidden: { text: "Hidden", color: "grey" },
};

interface Props {
  entry: NetChange;
  onDrop?: (change: Change) => void; // absent without a session
}

export function NetChangeView({ entry, onDrop }: Props) {
  const [open, setOpen] = useState(false);
  const { net, steps } = entry;
  const title = titleOf(entry);
  const only = steps.length === 1 ? steps[0] : undefined;
  const failed = steps.find((step) => step.change.error !== null)?.change;
  return (
    <>
      <div className="change-head">
        <Label isCompact color={labels[net].color}>
          {labels[net].text}
        </Label>
        <strong>{title}</strong>
        {only && <StepFacts step={only} onDrop={onDrop} />}
      </div>
      {failed && (
        <Alert
          isInline
          variant="danger"
          component="h3"
          title={`Change ${failed.number} could not be applied`}
        >
          {failed.error}
        </Alert>
      )}
      <NetDiff entry={entry} title={title} />
      {!only && (
        <ExpandableSection
          toggleText={plural(steps.length, "change")}
          isExpanded={open}
          onToggle={(_, is) => setOpen(is)}
          isIndented
        >
          {open && (
            <ol className="changes" aria-label={`Changes of ${title}`}>
              {steps.map((step) => (
                <li key={step.change.number}>
                  <div className="change-head">
                    <StepFacts step={step} onDrop={onDrop} />
                  </div>
                  <DiffView
                    lines={diffOf(step.before, step.after)}
                    label={`Change ${step.change.number}`}
                  />
                </li>
              ))}
            </ol>
          )}
        </ExpandableSection>
      )}
    </>
  );
}

function titleOf({ net, section, name, steps }: NetChange): string {
  if (steps[0]?.change.operation === "windows.unassign") return "Remove schedules from systems";
  const title = itemTitle(section || (steps[0]?.change.operation ?? ""), name);
  return net === "assignment" ? `${title}: assign to systems` : title;
}

function NetDiff({ entry, title }: { entry: NetChange; title: string }) {
  const { net, steps, before, after } = entry;
  if (net === "hidden")
    return <p className="quiet">You do not have the right to see this change.</p>;
  if (net === "none") return <p className="quiet">These changes cancel each other out.</p>;
  if (net === "unclear" && steps.length > 1)
    return <p className="quiet">See the single changes for details.</p>;
  const lines = net === "assignment" ? assignmentLines(steps) : diffOf(before, after);
  return <DiffView lines={lines} label={`Net change of ${title}`} />;
}

function assignmentLines(steps: Step[]): DiffLine[] {
  const { query, systems } = steps[0]?.change.arguments ?? {};
  const text = textOf(query === undefined ? { systems } : { query });
  return text.split("\n").map((line) => ({ kind: "added", text: line }));
}

function StepFacts({ step, onDrop }: { step: Step; onDrop: Props["onDrop"] }) {
  const { change } = step;
  return (
    <>
      <span className="quiet">
        Change {change.number}: <code>{change.operation}</code> by {change.by},{" "}
        <Time at={change.at} style="relative" />
      </span>
      {onDrop && (
        <Button
          variant="link"
          size="sm"
          isDanger
          aria-label={`Drop change ${change.number}`}
          onClick={() => onDrop(change)}
        >
          Drop change
        </Button>
      )}
    </>
  );
}

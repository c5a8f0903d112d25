// When, and how fast.
import {
  Checkbox,
  ExpandableSection,
  FormGroup,
  FormSelect,
  FormSelectOption,
  Grid,
  GridItem,
} from "@patternfly/react-core";
import { useState } from "react";
import { useMay } from "../../app/session";
import { Field } from "../../components/Field";
import type { JobForm, Problems } from "./jobForm";

interface Props {
  wish: JobForm;
  change: (changes: Partial<JobForm>) => void;
  problems: Problems;
}

type TextName = {
  [K in keyof JobForm]: JobForm[K] extends string ? (string extends JobForm[K] ? K : never) : never;
}[keyof JobForm];

const rollout: { name: TextName; label: string; hint: string }[] = [
  { name: "batch", label: "Batch", hint: "Maximum tasks in parallel: 10 or 25%" },
  { name: "batchWait", label: "Batch wait", hint: "Pause before a freed place is used again: 5s" },
  { name: "rate", label: "Rate", hint: "Task starts per second in the cluster" },
  { name: "maxFailures", label: "Maximum failures", hint: "Halt the job above this: 5 or 1%" },
  {
    name: "canary",
    label: "Canaries",
    hint: "Systems to run first; the rest follow if all succeed",
  },
  { name: "canaryWait", label: "Canary wait", hint: "Pause after the canaries: 10m" },
  { name: "retries", label: "Retries", hint: "Additional attempts after a failure" },
  { name: "retryWait", label: "Retry wait", hint: "Doubles with each attempt: 10s" },
  { name: "timeout", label: "Timeout", hint: "Time limit of one attempt (default 1h)" },
  {
    name: "expiresAfter",
    label: "Expires",
    hint: "Tasks not started by then expire (default 24h)",
  },
  {
    name: "parents",
    label: "After jobs",
    hint: "Job IDs; starts when these jobs have completed on all systems",
  },
  { name: "priority", label: "Priority", hint: "-1000 to 1000; higher runs first" },
];

export function RolloutFields({ wish, change, problems }: Props) {
  const [open, setOpen] = useState(() => rollout.some((field) => wish[field.name] !== ""));
  const mayOverride = useMay("windows.override");
  return (
    <>
      <Grid hasGutter>
        <GridItem sm={6}>
          <FormGroup label="Maintenance windows" fieldId="job-windows">
            <FormSelect
              id="job-windows"
              value={wish.windows}
              onChange={(_, windows) => change({ windows: windows as JobForm["windows"] })}
            >
              <FormSelectOption value="usual" label="Default: changes wait for a window" />
              <FormSelectOption value="respect" label="Respect: run only in windows" />
              <FormSelectOption value="start" label="Start: start in a window, may run longer" />
              <FormSelectOption value="ignore" label="Ignore: start immediately" />
              {mayOverride && <FormSelectOption value="override" label="Override: emergency" />}
            </FormSelect>
          </FormGroup>
        </GridItem>
        <GridItem sm={6}>
          <Field
            id="job-at"
            label="Not before"
            type="datetime-local"
            value={wish.at}
            onChange={(at) => change({ at })}
            problem={problems.at}
            hint="In your time zone (default: immediately)"
          />
        </GridItem>
      </Grid>
      <ExpandableSection
        toggleText="Rollout: batch, rate, canaries, retries, dependencies"
        isExpanded={open}
        onToggle={(_, is) => setOpen(is)}
        isIndented
      >
        <Grid hasGutter>
          {rollout.map((field) => (
            <GridItem sm={6} key={field.name}>
              <Field
                id={`job-${field.name}`}
                label={field.label}
                value={wish[field.name]}
                onChange={(text) => change({ [field.name]: text })}
                problem={problems[field.name]}
                hint={field.hint}
              />
            </GridItem>
          ))}
          <GridItem>
            <Checkbox
              id="job-on-return"
              label="Run on offline systems when they return"
              isChecked={wish.onReturn}
              onChange={(_, onReturn) => change({ onReturn })}
            />
            <Checkbox
              id="job-may-run-again"
              label="Run interrupted tasks again"
              isChecked={wish.mayRunAgain}
              onChange={(_, mayRunAgain) => change({ mayRunAgain })}
            />
          </GridItem>
        </Grid>
      </ExpandableSection>
    </>
  );
}

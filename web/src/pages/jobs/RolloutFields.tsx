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
  { name: "batch", label: "Batch", hint: "At most so many at once: 10 or 25%" },
  { name: "batchWait", label: "Batch wait", hint: "A place stays empty so long: 5s" },
  { name: "rate", label: "Rate", hint: "Starts a second in the whole cluster" },
  { name: "maxFailures", label: "Stop at failures", hint: "Halt when more failed: 5 or 1%" },
  { name: "canary", label: "Canaries", hint: "These first, the rest when all succeeded" },
  { name: "canaryWait", label: "Canary wait", hint: "So long after the canaries: 10m" },
  { name: "retries", label: "Retries", hint: "Further attempts after a failure" },
  { name: "retryWait", label: "Retry wait", hint: "Doubles each time: 10s" },
  { name: "timeout", label: "Timeout", hint: "Of one attempt; 1h if not given" },
  { name: "expiresAfter", label: "Expires", hint: "What has not started by then; 24h" },
  { name: "parents", label: "After jobs", hint: "Ids; it starts when they completed everywhere" },
  { name: "priority", label: "Priority", hint: "-1000 to 1000; higher goes first" },
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
              <FormSelectOption value="usual" label="usual: changes wait" />
              <FormSelectOption value="respect" label="respect: only inside" />
              <FormSelectOption value="start" label="start: begins inside" />
              <FormSelectOption value="ignore" label="ignore: at once" />
              {mayOverride && <FormSelectOption value="override" label="override: an emergency" />}
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
            hint="In your own zone; at once if not given"
          />
        </GridItem>
      </Grid>
      <ExpandableSection
        toggleText="Rollout: batch, rate, canaries, retries, after other jobs"
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
              label="Systems that are away run it when they come back"
              isChecked={wish.onReturn}
              onChange={(_, onReturn) => change({ onReturn })}
            />
            <Checkbox
              id="job-may-run-again"
              label="An attempt that was interrupted may be run again"
              isChecked={wish.mayRunAgain}
              onChange={(_, mayRunAgain) => change({ mayRunAgain })}
            />
          </GridItem>
        </Grid>
      </ExpandableSection>
    </>
  );
}

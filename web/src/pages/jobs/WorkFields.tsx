// Whom and what.
import {
  FormGroup,
  FormHelperText,
  FormSelect,
  FormSelectOption,
  HelperText,
  HelperTextItem,
  TextArea,
} from "@patternfly/react-core";
import { Field } from "../../components/Field";
import { QueryBox } from "../../components/QueryBox";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import type { JobForm, Problems, Work } from "./jobForm";
import type { Previewing } from "./PreviewPane";
import { StepFields } from "./StepFields";

const works: { value: Work; label: string }[] = [
  { value: "cmd.run", label: "Run a command" },
  { value: "script.run", label: "Run a script" },
  { value: "test.ping", label: "Ping" },
  { value: "facts.get", label: "Get facts" },
  { value: "system.reboot", label: "Reboot" },
  { value: "chain", label: "Chain of steps" },
  { value: "other", label: "Other function…" },
];

interface Props {
  wish: JobForm;
  change: (changes: Partial<JobForm>) => void;
  problems: Problems;
  preview: Pick<Previewing, "data" | "error">;
  zone: string;
}

export function WorkFields({ wish, change, problems, preview, zone }: Props) {
  const vocabulary = useCompletionTerms();
  const hasQuery = wish.query.trim() !== "";
  const wrong = hasQuery && preview.error ? preview.error.message : problems.query;
  return (
    <>
      <FormGroup label="Systems" fieldId="query" isRequired>
        <QueryBox
          value={wish.query}
          onChange={(query) => change({ query })}
          vocabulary={vocabulary}
          label="Systems"
          count={hasQuery && !preview.error ? preview.data?.targets : undefined}
          problem={wrong}
        />
        {zone !== "" && (
          <FormHelperText>
            <HelperText>
              <HelperTextItem>Limited to zone {zone} (zone filter).</HelperTextItem>
            </HelperText>
          </FormHelperText>
        )}
      </FormGroup>
      <FormGroup label="Action" fieldId="job-work">
        <FormSelect
          id="job-work"
          value={wish.work}
          onChange={(_, work) => change({ work: work as Work })}
        >
          {works.map((work) => (
            <FormSelectOption key={work.value} value={work.value} label={work.label} />
          ))}
        </FormSelect>
      </FormGroup>
      {(wish.work === "cmd.run" || wish.work === "script.run") && (
        <FormGroup
          label={wish.work === "cmd.run" ? "Command" : "Script"}
          fieldId="job-command"
          isRequired
        >
          <TextArea
            id="job-command"
            className="mono"
            value={wish.command}
            rows={wish.work === "cmd.run" ? 2 : 8}
            resizeOrientation="vertical"
            spellCheck={false}
            placeholder={wish.work === "cmd.run" ? "uptime" : "#!/bin/sh"}
            validated={problems.command ? "error" : "default"}
            onChange={(_, command) => change({ command })}
          />
        </FormGroup>
      )}
      {wish.work === "chain" && (
        <StepFields
          steps={wish.steps}
          onChange={(steps) => change({ steps })}
          problem={problems.steps}
        />
      )}
      {wish.work === "other" && (
        <>
          <Field
            id="job-function"
            label="Function"
            value={wish.functionName}
            onChange={(functionName) => change({ functionName })}
            problem={problems.functionName}
            placeholder="state.apply"
            isRequired
          />
          <Field
            id="job-arguments"
            label="Arguments"
            value={wish.argumentsText}
            onChange={(argumentsText) => change({ argumentsText })}
            problem={problems.argumentsText}
            hint="JSON object"
          />
        </>
      )}
      <Field
        id="job-note"
        label="Note"
        value={wish.note}
        onChange={(note) => change({ note })}
        hint="Reason for this job. Stored with the job."
      />
    </>
  );
}

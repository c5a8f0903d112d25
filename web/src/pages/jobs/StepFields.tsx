// The steps of a chain: added, removed, moved.
import {
  Button,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  TextInput,
} from "@patternfly/react-core";
import AngleUpIcon from "@patternfly/react-icons/dist/esm/icons/angle-up-icon";
import PlusCircleIcon from "@patternfly/react-icons/dist/esm/icons/plus-circle-icon";
import TimesIcon from "@patternfly/react-icons/dist/esm/icons/times-icon";
import { emptyStep, type Step, stepsMost } from "./chain";

interface Props {
  steps: Step[];
  onChange: (steps: Step[]) => void;
  problem?: string;
}

export function StepFields({ steps, onChange, problem }: Props) {
  const put = (at: number, changes: Partial<Step>) =>
    onChange(steps.map((step, n) => (n === at ? { ...step, ...changes } : step)));
  const up = (at: number) => {
    const next = [...steps];
    next.splice(at - 1, 0, ...next.splice(at, 1));
    onChange(next);
  };
  return (
    <FormGroup role="group" label="Steps" fieldId="job-step-1" isRequired>
      <ol className="job-steps">
        {steps.map((step, at) => (
          <li key={at} className="job-step">
            <span className="quiet" aria-hidden="true">
              {at + 1}.
            </span>
            <TextInput
              id={`job-step-${at + 1}`}
              className="mono"
              aria-label={`Step ${at + 1}`}
              value={step.text}
              placeholder={at === 0 ? "apt-get -y upgrade" : "system.reboot"}
              spellCheck={false}
              onChange={(_, text) => put(at, { text })}
            />
            <TextInput
              aria-label={`Time limit of step ${at + 1}`}
              className="job-step-time"
              value={step.timeout}
              placeholder="1h"
              onChange={(_, timeout) => put(at, { timeout })}
            />
            <Button
              variant="plain"
              aria-label={`Move step ${at + 1} up`}
              icon={<AngleUpIcon />}
              isDisabled={at === 0}
              onClick={() => up(at)}
            />
            <Button
              variant="plain"
              aria-label={`Remove step ${at + 1}`}
              icon={<TimesIcon />}
              isDisabled={steps.length === 1}
              onClick={() => onChange(steps.filter((_, n) => n !== at))}
            />
          </li>
        ))}
      </ol>
      <Button
        variant="link"
        icon={<PlusCircleIcon />}
        isDisabled={steps.length >= stepsMost}
        onClick={() => onChange([...steps, emptyStep])}
      >
        Add step
      </Button>
      <FormHelperText>
        <HelperText>
          <HelperTextItem variant={problem ? "error" : "default"}>
            {problem ??
              "Shell command or function such as system.reboot, with its time limit. A step runs where the previous step succeeded."}
          </HelperTextItem>
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}

import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useId } from "react";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: { value: string; label: string }[];
}

export function SelectField({ label, value, onChange, choices }: Props) {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id}>
      <FormSelect id={id} value={value} onChange={(_, next) => onChange(next)}>
        {choices.map((choice) => (
          <FormSelectOption key={choice.value} value={choice.value} label={choice.label} />
        ))}
      </FormSelect>
    </FormGroup>
  );
}

import {
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  TextInput,
} from "@patternfly/react-core";
import { useId } from "react";

interface Props {
  label: string;
  value: string;
  onChange: (text: string) => void;
  help?: string;
  required?: boolean;
  placeholder?: string;
  autoFocus?: boolean;
}

export function TextField({
  label,
  value,
  onChange,
  help,
  required,
  placeholder,
  autoFocus,
}: Props) {
  const id = useId();
  return (
    <FormGroup label={label} fieldId={id} isRequired={required}>
      <TextInput
        id={id}
        value={value}
        placeholder={placeholder}
        autoFocus={autoFocus}
        autoComplete="off"
        aria-describedby={help ? `${id}-help` : undefined}
        onChange={(_, text) => onChange(text)}
      />
      {help && (
        <FormHelperText>
          <HelperText id={`${id}-help`}>
            <HelperTextItem>{help}</HelperTextItem>
          </HelperText>
        </FormHelperText>
      )}
    </FormGroup>
  );
}

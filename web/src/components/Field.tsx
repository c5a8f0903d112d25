// A labelled text field with its hint, or with what is wrong with it.
import {
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  TextInput,
} from "@patternfly/react-core";

interface Props {
  id: string;
  label: string;
  value: string;
  onChange: (text: string) => void;
  hint?: string;
  problem?: string;
  placeholder?: string;
  type?: "text" | "number" | "datetime-local" | "password" | "url" | "email";
  isRequired?: boolean;
}

export function Field(props: Props) {
  const { id, label, value, onChange, hint, problem } = props;
  return (
    <FormGroup label={label} fieldId={id} isRequired={props.isRequired}>
      <TextInput
        id={id}
        value={value}
        type={props.type ?? "text"}
        placeholder={props.placeholder}
        autoComplete={props.type === "password" ? "new-password" : "off"}
        validated={problem ? "error" : "default"}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        onChange={(_, text) => onChange(text)}
      />
      {(hint || problem) && (
        <FormHelperText>
          <HelperText id={`${id}-hint`}>
            <HelperTextItem variant={problem ? "error" : "default"}>
              {problem ?? hint}
            </HelperTextItem>
          </HelperText>
        </FormHelperText>
      )}
    </FormGroup>
  );
}

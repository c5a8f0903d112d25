// A file of text that is read here and sent as a part of a form.
import { FormGroup, FormHelperText, HelperText, HelperTextItem } from "@patternfly/react-core";
import { useState } from "react";
import "./FileField.css";

interface Props {
  id: string;
  label: string;
  accept: string;
  bytesMost: number;
  onRead: (text: string, name: string) => void; // "" when nothing is chosen
}

export function FileField({ id, label, accept, bytesMost, onRead }: Props) {
  const [problem, setProblem] = useState("");
  const read = async (file: File | undefined) => {
    setProblem("");
    if (!file) return onRead("", "");
    if (file.size > bytesMost) {
      setProblem(`File too large. Maximum size: ${Math.round(bytesMost / 1024)} KiB.`);
      return onRead("", "");
    }
    try {
      onRead(await file.text(), file.name);
    } catch {
      setProblem("Cannot read the file. Choose another file.");
      onRead("", "");
    }
  };
  return (
    <FormGroup label={label} fieldId={id} isRequired>
      <input
        id={id}
        type="file"
        className="file-field"
        accept={accept}
        aria-describedby={problem ? `${id}-problem` : undefined}
        aria-invalid={problem ? true : undefined}
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
      {problem && (
        <FormHelperText>
          <HelperText id={`${id}-problem`}>
            <HelperTextItem variant="error">{problem}</HelperTextItem>
          </HelperText>
        </FormHelperText>
      )}
    </FormGroup>
  );
}

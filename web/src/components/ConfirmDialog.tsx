// Confirms an action that cannot be undone. With `typed`, the words must be typed first.
import {
  Button,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  TextInput,
} from "@patternfly/react-core";
import { type FormEvent, type ReactNode, useState } from "react";

interface Props {
  title: string;
  children: ReactNode;
  action: string;
  typed?: string;
  danger?: boolean;
  dismiss?: string; // of the button that closes without action
  onConfirm: () => Promise<unknown> | unknown;
  onClose: () => void;
}

export function ConfirmDialog({
  title,
  children,
  action,
  typed,
  danger,
  dismiss = "Cancel",
  onConfirm,
  onClose,
}: Props) {
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const ready = !busy && (typed === undefined || text === typed);
  const confirm = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    setBusy(true);
    try {
      await onConfirm();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal isOpen onClose={onClose} variant="small" aria-labelledby="confirm-title">
      <ModalHeader
        title={title}
        labelId="confirm-title"
        titleIconVariant={danger ? "danger" : undefined}
      />
      <ModalBody>
        {children}
        {typed !== undefined && (
          <Form onSubmit={confirm} className="confirm-typed">
            <FormGroup label={`Type “${typed}” to confirm`} fieldId="confirm-text">
              <TextInput
                id="confirm-text"
                value={text}
                autoFocus
                autoComplete="off"
                onChange={(_, value) => setText(value)}
              />
            </FormGroup>
          </Form>
        )}
      </ModalBody>
      <ModalFooter>
        <Button
          variant={danger ? "danger" : "primary"}
          isDisabled={!ready}
          isLoading={busy}
          onClick={() => void confirm()}
        >
          {action}
        </Button>
        <Button variant="link" onClick={onClose}>
          {dismiss}
        </Button>
      </ModalFooter>
    </Modal>
  );
}

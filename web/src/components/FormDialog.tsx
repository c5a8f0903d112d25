// A small form in a dialog: fields, one action, its error.
import {
  Alert,
  Button,
  Form,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { TextWithTimes } from "./TextWithTimes";

interface Props {
  title: string;
  about?: ReactNode;
  action: string;
  ready?: boolean;
  danger?: boolean;
  children: ReactNode;
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
}

export function FormDialog(props: Props) {
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const ready = (props.ready ?? true) && !busy;
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    setBusy(true);
    setProblem("");
    try {
      await props.onSubmit();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal isOpen variant="small" onClose={props.onClose} aria-labelledby={`${id}-title`}>
      <ModalHeader title={props.title} labelId={`${id}-title`} description={props.about} />
      <ModalBody>
        <Form id={id} onSubmit={submit}>
          {problem && (
            <Alert
              variant="danger"
              isInline
              title={<TextWithTimes text={problem} />}
              component="h3"
            />
          )}
          {props.children}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button
          variant={props.danger ? "danger" : "primary"}
          type="submit"
          form={id}
          isDisabled={!ready}
          isLoading={busy}
        >
          {props.action}
        </Button>
        <Button variant="link" onClick={props.onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

// A secret that is shown once.
import {
  Button,
  ClipboardCopy,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";

interface Props {
  title: string;
  text: string;
  about: string;
  onClose: () => void;
}

export function Secret({ title, text, about, onClose }: Props) {
  return (
    <Modal isOpen onClose={onClose} variant="small" aria-labelledby="secret-title">
      <ModalHeader title={title} labelId="secret-title" />
      <ModalBody>
        <p>{about}</p>
        <ClipboardCopy isReadOnly isCode hoverTip="Copy" clickTip="Copied" textAriaLabel={title}>
          {text}
        </ClipboardCopy>
      </ModalBody>
      <ModalFooter>
        <Button onClick={onClose}>Done</Button>
      </ModalFooter>
    </Modal>
  );
}

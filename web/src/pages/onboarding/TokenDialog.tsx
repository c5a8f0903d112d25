// Creates a one-time enrolment token.
import {
  Button,
  ClipboardCopy,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { useState } from "react";
import { api } from "../../api/client";
import { useZone, usualZone } from "../../app/zone";
import { FormDialog } from "../../components/FormDialog";
import { SelectField } from "../../components/SelectField";
import { TextField } from "../../components/TextField";
import { Time } from "../../components/Time";
import { wordsOf } from "../../components/words";

interface EnrolmentToken {
  token: string;
  zone: string;
  expires: string;
}

export function TokenDialog({ onClose }: { onClose: () => void }) {
  const choice = useZone();
  const { zones } = choice;
  const [zone, setZone] = useState(() => usualZone(choice));
  const [tags, setTags] = useState("");
  const [minutes, setMinutes] = useState("60");
  const [token, setToken] = useState<EnrolmentToken | null>(null);
  if (token)
    return (
      <Modal isOpen variant="small" onClose={onClose} aria-labelledby="token-title">
        <ModalHeader
          title="Enrolment token"
          labelId="token-title"
          description="Copy the token now; it is not shown again."
        />
        <ModalBody>
          <ClipboardCopy isReadOnly isCode hoverTip="Copy" clickTip="Copied" textAriaLabel="Token">
            {token.token}
          </ClipboardCopy>
          <p>
            Accepts one system into zone {token.zone}. Expires <Time at={token.expires} />.
          </p>
        </ModalBody>
        <ModalFooter>
          <Button onClick={onClose}>Done</Button>
        </ModalFooter>
      </Modal>
    );
  const ttl = Number(minutes) * 60;
  return (
    <FormDialog
      title="Create enrolment token"
      about="A system that enrols with this token is accepted automatically. Valid for one system."
      action="Create token"
      ready={Number.isInteger(ttl) && ttl > 0}
      onSubmit={async () =>
        setToken(
          await api.post<EnrolmentToken>("/api/v1/enrolment-tokens", {
            zone,
            tags: wordsOf(tags),
            ttl,
          }),
        )
      }
      onClose={onClose}
    >
      <SelectField
        label="Zone"
        value={zone}
        onChange={setZone}
        choices={(zones.length > 0 ? zones.map((zone) => zone.name) : [zone]).map((name) => ({
          value: name,
          label: name,
        }))}
      />
      <TextField label="Tags" value={tags} onChange={setTags} />
      <TextField label="Lifetime in minutes" value={minutes} onChange={setMinutes} />
    </FormDialog>
  );
}

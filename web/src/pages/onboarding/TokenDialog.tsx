// A token that takes in one system, once.
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
        <ModalHeader title="The token" labelId="token-title" description="It is shown only now." />
        <ModalBody>
          <ClipboardCopy isReadOnly isCode hoverTip="Copy" clickTip="Copied" textAriaLabel="Token">
            {token.token}
          </ClipboardCopy>
          <p>
            Takes one system into zone {token.zone}, until <Time at={token.expires} />.
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
      title="Make a token"
      about="Whoever shows it when enrolling is taken in: one system, once."
      action="Make"
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
      <TextField
        label="Minutes"
        value={minutes}
        onChange={setMinutes}
        help="How long it may be shown."
      />
    </FormDialog>
  );
}

// How a further server joins: a token that is good once.
import {
  Button,
  ClipboardCopy,
  Form,
  FormGroup,
  FormSelect,
  FormSelectOption,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { useState } from "react";
import { api } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { useZone } from "../../app/zone";
import { Time } from "../../components/Time";
import type { Token } from "./types";

export function TokenDialog({ onClose }: { onClose: () => void }) {
  const { zones } = useZone();
  const { fail } = useNotifications();
  const [into, setInto] = useState("default");
  const [token, setToken] = useState<Token | null>(null);
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      setToken(
        await api.post<Token>(
          "/api/v1/nodes/tokens",
          into === "" ? { pool: true } : { zone: into },
        ),
      );
    } catch (failure) {
      fail("Token not created", failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="token-title">
      <ModalHeader title="Add server" labelId="token-title" />
      <ModalBody>
        {token ? (
          <>
            <p>
              Start the new server with this command. The token is valid for one use until{" "}
              <Time at={token.expires} /> and is not shown again.
            </p>
            <ClipboardCopy
              isReadOnly
              isCode
              hoverTip="Copy"
              clickTip="Copied"
              textAriaLabel="Command"
            >
              {`muster serve --join ${token.join} --metastore … --bus … --ledger …`}
            </ClipboardCopy>
          </>
        ) : (
          <Form>
            <FormGroup label="Join" fieldId="token-zone">
              <FormSelect id="token-zone" value={into} onChange={(_, is) => setInto(is)}>
                {zones.map((zone) => (
                  <FormSelectOption
                    key={zone.name}
                    value={zone.name}
                    label={`Zone ${zone.name}, immediately`}
                  />
                ))}
                <FormSelectOption value="" label="Pool: accept later" />
              </FormSelect>
            </FormGroup>
          </Form>
        )}
      </ModalBody>
      <ModalFooter>
        {!token && (
          <Button isLoading={busy} onClick={() => void make()}>
            Create token
          </Button>
        )}
        <Button variant={token ? "primary" : "link"} onClick={onClose}>
          {token ? "Done" : "Cancel"}
        </Button>
      </ModalFooter>
    </Modal>
  );
}

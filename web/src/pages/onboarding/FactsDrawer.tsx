// What a system that waits says of itself.
import { Modal, ModalBody, ModalHeader } from "@patternfly/react-core";
import type { System } from "../../api/types";
import { Time } from "../../components/Time";
import { Facts } from "../system/Facts";
import "../system/system.css";

export function FactsDrawer({ system, onClose }: { system: System; onClose: () => void }) {
  return (
    <Modal isOpen variant="large" onClose={onClose} aria-labelledby="facts-title">
      <ModalHeader
        title={system.name}
        labelId="facts-title"
        description={
          <>
            enrolled <Time at={system.enrolled} /> from {system.origin}, machine{" "}
            {system.machine_id || "unknown"}
            <br />
            <code>{system.fingerprint}</code>
          </>
        }
      />
      <ModalBody tabIndex={0} aria-label="Facts">
        <Facts system={system} />
      </ModalBody>
    </Modal>
  );
}

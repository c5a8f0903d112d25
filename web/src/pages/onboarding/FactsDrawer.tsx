// The facts of a system that waits for acceptance.
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
            Enrolled <Time at={system.enrolled} /> from {system.origin}, machine ID{" "}
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

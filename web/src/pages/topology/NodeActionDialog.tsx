import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { plural } from "../../components/format";
import type { NodeAction } from "./actions";
import type { NodeRecord } from "./types";

interface Props {
  node: NodeRecord;
  action: NodeAction;
  zones: string[];
  onClose: () => void;
}

export function NodeActionDialog({ node, action, zones, onClose }: Props) {
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [zone, setZone] = useState(zones.includes("default") ? "default" : (zones[0] ?? ""));
  const word = action.label.replace("…", "");
  const perform = async () => {
    try {
      await api.post(
        `/api/v1/nodes/${part(node.name)}/${action.verb}`,
        action.verb === "accept" ? { zone } : undefined,
      );
      tell({ title: `Node ${node.name} ${action.done}` });
      onClose();
    } catch (failure) {
      fail(`Node ${node.name} not ${action.done}`, failure);
    } finally {
      for (const topic of ["topology", "nodes", "stats"])
        void client.invalidateQueries({ queryKey: [topic] });
    }
  };
  return (
    <ConfirmDialog
      title={action.verb === "accept" ? word : `${word}: ${node.name}`}
      action={word}
      danger={action.danger}
      typed={action.danger ? node.name : undefined}
      onConfirm={perform}
      onClose={onClose}
    >
      <p>{action.about}</p>
      {action.verb === "drain" && (
        <p>
          {node.name} has {plural(node.slots ?? 0, "slot")}. The node stays drained until you
          undrain or remove it.
        </p>
      )}
      {action.verb === "accept" && (
        <FormGroup label={`Zone for ${node.name}`} fieldId="accept-zone">
          <FormSelect id="accept-zone" value={zone} onChange={(_, is) => setZone(is)}>
            {zones.map((zone) => (
              <FormSelectOption key={zone} value={zone} label={zone} />
            ))}
          </FormSelect>
        </FormGroup>
      )}
    </ConfirmDialog>
  );
}

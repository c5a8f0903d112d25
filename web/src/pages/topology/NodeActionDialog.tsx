import { FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { count } from "../../components/format";
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
      tell({ title: `${node.name}: ${word.toLowerCase()}` });
      onClose();
    } catch (failure) {
      fail(`${node.name} was not changed`, failure);
    } finally {
      for (const topic of ["topology", "nodes", "stats"])
        void client.invalidateQueries({ queryKey: [topic] });
    }
  };
  return (
    <ConfirmDialog
      title={`${word} ${action.verb === "accept" ? "" : node.name}`.trim()}
      action={word}
      danger={action.danger}
      typed={action.danger ? node.name : undefined}
      onConfirm={perform}
      onClose={onClose}
    >
      <p>{action.about}</p>
      {action.verb === "drain" && (
        <p>
          {node.name} has {count(node.slots ?? 0)} slots now. It stays drained until you let it
          serve again or remove it.
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

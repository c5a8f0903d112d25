import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { Field } from "../../components/Field";
import type { NodeRecord } from "./types";

export function LimitDialog({ node, onClose }: { node: NodeRecord; onClose: () => void }) {
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [text, setText] = useState(String(node.systems_max ?? 0));
  const valid = /^\d+$/.test(text);
  const set = async () => {
    if (!valid) return;
    try {
      await api.patch(`/api/v1/nodes/${part(node.name)}`, { systems_max: Number(text) });
      tell({ title: `System limit of ${node.name} changed` });
      onClose();
    } catch (failure) {
      fail("System limit not changed", failure);
    } finally {
      void client.invalidateQueries({ queryKey: ["topology"] });
      void client.invalidateQueries({ queryKey: ["nodes"] });
    }
  };
  return (
    <ConfirmDialog
      title={`Set system limit of ${node.name}`}
      action="Set limit"
      onConfirm={set}
      onClose={onClose}
    >
      <Field
        id="limit-systems"
        label="Maximum systems"
        type="number"
        value={text}
        onChange={setText}
        hint="0: no limit"
        problem={valid ? undefined : "Enter a whole number."}
      />
    </ConfirmDialog>
  );
}

// What can be done with systems, each in its dialog.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { commandLine, groupCommand } from "../../api/cli";
import { api } from "../../api/client";
import { isDrafted } from "../../api/common";
import { useNotifications } from "../../app/notifications";
import { useZone } from "../../app/zone";
import { ConfirmDialog } from "../ConfirmDialog";
import { CopyCli } from "../CopyCli";
import { FormDialog } from "../FormDialog";
import { SelectField } from "../SelectField";
import { TextField } from "../TextField";
import type { useBulk } from "../useBulk";
import { wordsOf } from "../words";
import { TargetSummary } from "./TargetSummary";
import { bodyOf, type Target, targetLabel } from "./target";

export interface ActionProps {
  target: Target;
  run: ReturnType<typeof useBulk>["run"];
  onClose: () => void;
}

export function LabelDialog({
  target,
  run,
  onClose,
  kind,
}: ActionProps & { kind: "tags" | "groups" }) {
  const [added, setAdded] = useState("");
  const [removed, setRemoved] = useState("");
  const noun = kind === "tags" ? "tag" : "group";
  const label = async () => {
    onClose();
    await run(`Change ${kind}`, "/api/v1/systems/label", {
      ...bodyOf(target),
      [kind]: wordsOf(added),
      [`${kind}_removed`]: wordsOf(removed),
    });
  };
  const flags = [
    ...wordsOf(added).flatMap((word) => [`--${noun}`, word]),
    ...wordsOf(removed).flatMap((word) => [`--un${noun}`, word]),
  ];
  return (
    <FormDialog
      title={`Change ${kind} of ${targetLabel(target)}`}
      action={`Change ${kind}`}
      ready={wordsOf(added).length + wordsOf(removed).length > 0}
      onSubmit={label}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <TextField
        label={`Add ${kind}`}
        value={added}
        onChange={setAdded}
        autoFocus
        help="Separate several with spaces or commas."
      />
      <TextField label={`Remove ${kind}`} value={removed} onChange={setRemoved} />
      <div>
        <CopyCli command={commandLine("muster", "systems", "tag", target.query, ...flags)} />
      </div>
    </FormDialog>
  );
}

export function MoveDialog({ target, run, onClose }: ActionProps) {
  const { zones } = useZone();
  const [zone, setZone] = useState(zones[0]?.name ?? "");
  return (
    <FormDialog
      title={`Move ${targetLabel(target)} to another zone`}
      about="The systems detach from their node and attach to a node of the new zone."
      action="Move systems"
      ready={zone !== ""}
      onSubmit={async () => {
        onClose();
        await run(`Move to zone ${zone}`, "/api/v1/systems/move", { ...bodyOf(target), zone });
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <SelectField
        label="Zone"
        value={zone}
        onChange={setZone}
        choices={zones.map((zone) => ({ value: zone.name, label: zone.name }))}
      />
      <div>
        <CopyCli command={commandLine("muster", "systems", "move", target.query, "--zone", zone)} />
      </div>
    </FormDialog>
  );
}

export function DeleteDialog({ target, run, onClose }: ActionProps) {
  return (
    <ConfirmDialog
      title={`Delete ${targetLabel(target)} permanently`}
      action="Delete permanently"
      danger
      typed={`delete ${target.count}`}
      onConfirm={async () => {
        onClose();
        await run("Delete systems", "/api/v1/systems/delete", bodyOf(target));
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <p>
        The keys of these systems are banned and their agents stop. This cannot be undone. To
        return, a machine must enrol with a new key.
      </p>
      <CopyCli command={commandLine("muster", "systems", "delete", target.query)} />
    </ConfirmDialog>
  );
}

export function UnregisterDialog({ target, run, onClose }: ActionProps) {
  return (
    <ConfirmDialog
      title={`Reconnect ${targetLabel(target)}`}
      action="Reconnect"
      onConfirm={async () => {
        onClose();
        await run("Reconnect systems", "/api/v1/systems/unregister", bodyOf(target));
      }}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <p>
        The systems disconnect and reconnect immediately to the node that serves them now. Their
        data is kept.
      </p>
      <CopyCli command={commandLine("muster", "systems", "unregister", target.query)} />
    </ConfirmDialog>
  );
}

export function GroupDialog({ expression, onClose }: { expression: string; onClose: () => void }) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  return (
    <FormDialog
      title="Save query as group"
      about={
        <>
          The group contains all systems that match <code>{expression}</code>, now and in future.
        </>
      }
      action="Save group"
      ready={name.trim() !== ""}
      onSubmit={async () => {
        const body = { name: name.trim(), expression, description };
        const answer = await api.post("/api/v1/groups", body);
        void client.invalidateQueries({ queryKey: ["groups"] });
        if (isDrafted(answer)) tell({ title: "Added to the draft" });
        else
          tell({
            title: `Group ${name.trim()} created`,
            body: `Use group:${name.trim()} in queries.`,
          });
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} required autoFocus />
      <TextField label="Description" value={description} onChange={setDescription} />
      <div>
        <CopyCli command={groupCommand("add", { name, expression, description })} />
      </div>
    </FormDialog>
  );
}

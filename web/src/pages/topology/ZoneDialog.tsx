// Makes a zone, changes one, or removes it.
import {
  Alert,
  Button,
  Form,
  FormGroup,
  FormSelect,
  FormSelectOption,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { useZone } from "../../app/zone";
import { Field } from "../../components/Field";
import { TextWithTimes } from "../../components/TextWithTimes";
import type { ZoneRecord } from "./types";

export function ZoneDialog({ zone, onClose }: { zone?: ZoneRecord; onClose: () => void }) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  const { zones } = useZone();
  const [name, setName] = useState("");
  const [description, setDescription] = useState(zone?.description ?? "");
  const [parent, setParent] = useState(zone?.parent ?? "");
  const [timeout, setTimeout] = useState(String(zone?.disaster_timeout ?? 300));
  const [tasks, setTasks] = useState(String(zone?.tasks_max ?? 0));
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const ready = (zone !== undefined || name !== "") && /^\d+$/.test(timeout) && /^\d+$/.test(tasks);

  const perform = async (title: string, work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem("");
    try {
      await work();
      tell({ title });
      onClose();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
      for (const topic of ["topology", "zones", "stats"])
        void client.invalidateQueries({ queryKey: [topic] });
    }
  };
  const save = (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready || busy) return;
    const body = {
      description,
      parent,
      disaster_timeout: Number(timeout),
      tasks_max: Number(tasks),
    };
    void perform(zone ? `Zone ${zone.name} updated` : `Zone ${name} created`, () =>
      zone
        ? api.patch(`/api/v1/zones/${part(zone.name)}`, body)
        : api.post("/api/v1/zones", { name, ...body }),
    );
  };
  return (
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="zone-title">
      <ModalHeader title={zone ? `Edit zone ${zone.name}` : "Create zone"} labelId="zone-title" />
      <ModalBody>
        <Form onSubmit={save}>
          {problem !== "" && (
            <Alert
              isInline
              variant="danger"
              component="h3"
              title={zone ? "Zone not changed" : "Zone not created"}
            >
              <TextWithTimes text={problem} />
            </Alert>
          )}
          {!zone && (
            <Field id="zone-name" label="Name" value={name} onChange={setName} isRequired />
          )}
          <Field
            id="zone-description"
            label="Description"
            value={description}
            onChange={setDescription}
          />
          <FormGroup label="Parent zone" fieldId="zone-parent">
            <FormSelect id="zone-parent" value={parent} onChange={(_, is) => setParent(is)}>
              <FormSelectOption value="" label="None" />
              {zones
                .filter((candidate) => candidate.name !== zone?.name)
                .map((candidate) => (
                  <FormSelectOption
                    key={candidate.name}
                    value={candidate.name}
                    label={candidate.name}
                  />
                ))}
            </FormSelect>
          </FormGroup>
          <Field
            id="zone-timeout"
            label="Node timeout (seconds)"
            type="number"
            value={timeout}
            onChange={setTimeout}
            hint="A node that is missing longer is faulty"
          />
          <Field
            id="zone-tasks"
            label="Maximum parallel tasks"
            type="number"
            value={tasks}
            onChange={setTasks}
            hint="0: no limit"
          />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button isDisabled={!ready || busy} isLoading={busy} onClick={() => save()}>
          {zone ? "Save zone" : "Create zone"}
        </Button>
        {zone && zone.nodes.length === 0 && (
          <Button
            variant="danger"
            isDisabled={busy}
            onClick={() =>
              void perform(`Zone ${zone.name} deleted`, () =>
                api.remove(`/api/v1/zones/${part(zone.name)}`),
              )
            }
          >
            Delete zone
          </Button>
        )}
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

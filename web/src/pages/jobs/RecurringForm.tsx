import {
  Alert,
  Button,
  Checkbox,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client";
import { useNotices } from "../../app/notices";
import { Field } from "../../components/Field";
import { QueryBox } from "../../components/QueryBox";
import { useCount } from "../../components/useCount";
import { useVocabulary } from "../../components/useVocabulary";

export function RecurringForm({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const { tell } = useNotices();
  const vocabulary = useVocabulary();
  const [name, setName] = useState("");
  const [cron, setCron] = useState("30 2 * * *");
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [query, setQuery] = useState("");
  const [command, setCommand] = useState("");
  const [inWindows, setInWindows] = useState(true);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const found = useCount(query, query.trim() !== "");
  const ready = name !== "" && query.trim() !== "" && command.trim() !== "" && !busy;

  const make = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    setBusy(true);
    try {
      await api.post("/api/v1/schedules", {
        name,
        cron,
        zone,
        query,
        function: "cmd.run",
        arguments: { cmd: command },
        maintenance_only: inWindows,
      });
      tell({ title: `${name} was made` });
      void client.invalidateQueries({ queryKey: ["schedules"] });
      onClose();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="recurring-title">
      <ModalHeader title="New recurring run" labelId="recurring-title" />
      <ModalBody>
        <Form onSubmit={make}>
          {problem !== "" && (
            <Alert isInline variant="danger" component="h3" title="Not made">
              {problem}
            </Alert>
          )}
          <Field id="recurring-name" label="Name" value={name} onChange={setName} isRequired />
          <FormGroup label="Systems" fieldId="recurring-query" isRequired>
            <QueryBox
              id="recurring-query"
              label="Systems"
              value={query}
              onChange={setQuery}
              vocabulary={vocabulary}
              found={query.trim() === "" ? undefined : found.data?.count}
              problem={query.trim() === "" ? undefined : found.error?.message}
            />
          </FormGroup>
          <Field
            id="recurring-command"
            label="Command"
            value={command}
            onChange={setCommand}
            isRequired
          />
          <Field
            id="recurring-cron"
            label="When"
            value={cron}
            onChange={setCron}
            hint="Minute, hour, day of the month, month, day of the week; or @daily"
          />
          <Field id="recurring-zone" label="By the clocks of" value={zone} onChange={setZone} />
          <Checkbox
            id="recurring-windows"
            label="Leave out systems that are outside of their maintenance window"
            isChecked={inWindows}
            onChange={(_, is) => setInWindows(is)}
          />
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button isDisabled={!ready} isLoading={busy} onClick={() => void make()}>
          Make
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

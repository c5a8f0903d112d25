// Another file in a calendar's place; what is planned goes where it still fits.
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
import { isDrafted } from "../../api/common";
import { useNotifications } from "../../app/notifications";
import { FileField } from "../../components/FileField";
import { plural } from "../../components/format";
import { TextWithTimes } from "../../components/TextWithTimes";
import { calendarBytesMost } from "./label";
import type { CalendarRecord } from "./types";

const strategies = [
  { value: "Fail", label: "refuse, and name the jobs" },
  { value: "Nearest,Fail", label: "the nearest window, or refuse" },
  { value: "Next,Fail", label: "the next window, or refuse" },
  { value: "Previous,Fail", label: "the window before, or refuse" },
  { value: "Nearest,Cancel", label: "the nearest window, or take back" },
  { value: "Cancel", label: "take back" },
];

interface Props {
  calendar: CalendarRecord;
  onClose: () => void;
}

export function ReplaceDialog({ calendar, onClose }: Props) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  const [text, setText] = useState("");
  const [strategy, setStrategy] = useState("Fail");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);

  const replace = async (event?: FormEvent) => {
    event?.preventDefault();
    if (text === "" || busy) return;
    setBusy(true);
    setProblem("");
    try {
      const done = await api.put<CalendarRecord>(
        `/api/v1/windows/calendars/${part(calendar.label)}`,
        { text, resolve_strategy: strategy },
      );
      const moved = (done.replanned ?? []).filter((change) => change.verdict !== "kept").length;
      tell({
        title: isDrafted(done) ? "In the draft" : `${calendar.label} was replaced`,
        body: moved > 0 ? `${plural(moved, "planned start")} moved or taken back.` : undefined,
      });
      onClose();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
      void client.invalidateQueries({ queryKey: ["windows"] });
    }
  };
  return (
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="replace-title">
      <ModalHeader title={`Replace ${calendar.label}`} labelId="replace-title" />
      <ModalBody>
        <Form onSubmit={replace}>
          {problem !== "" && (
            <Alert isInline variant="danger" component="h3" title="Not replaced">
              <TextWithTimes text={problem} />
            </Alert>
          )}
          <FileField
            id="replace-file"
            label="File"
            accept=".ics,text/calendar"
            bytesMost={calendarBytesMost}
            onRead={setText}
          />
          <FormGroup label="Planned work that no longer fits" fieldId="replace-strategy">
            <FormSelect
              id="replace-strategy"
              value={strategy}
              onChange={(_, chosen) => setStrategy(chosen)}
            >
              {strategies.map((strategy) => (
                <FormSelectOption
                  key={strategy.value}
                  value={strategy.value}
                  label={strategy.label}
                />
              ))}
            </FormSelect>
          </FormGroup>
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button isDisabled={text === "" || busy} isLoading={busy} onClick={() => void replace()}>
          Replace
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

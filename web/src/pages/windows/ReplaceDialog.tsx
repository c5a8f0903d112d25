// Replaces a calendar file; planned starts move to windows of the new file.
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
import { type FormEvent, useState } from "react";
import { api, part } from "../../api/client";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { FileField } from "../../components/FileField";
import { plural } from "../../components/format";
import { TextWithTimes } from "../../components/TextWithTimes";
import { calendarBytesMost } from "./label";
import type { CalendarRecord } from "./types";

const strategies = [
  { value: "Fail", label: "Refuse, and list the jobs" },
  { value: "Nearest,Fail", label: "Move to the nearest window, or refuse" },
  { value: "Next,Fail", label: "Move to the next window, or refuse" },
  { value: "Previous,Fail", label: "Move to the previous window, or refuse" },
  { value: "Nearest,Cancel", label: "Move to the nearest window, or cancel the job" },
  { value: "Cancel", label: "Cancel the job" },
];

interface Props {
  calendar: CalendarRecord;
  onClose: () => void;
}

export function ReplaceDialog({ calendar, onClose }: Props) {
  const { report, reload } = useCommonChange("windows");
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
      await report(done, {
        title: `Calendar ${calendar.label} replaced`,
        body: moved > 0 ? `${plural(moved, "planned start")} moved or cancelled.` : undefined,
      });
      onClose();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
      void reload();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="replace-title">
      <ModalHeader title={`Replace calendar ${calendar.label}`} labelId="replace-title" />
      <ModalBody>
        <Form onSubmit={replace}>
          {problem !== "" && (
            <Alert isInline variant="danger" component="h3" title="Cannot replace the calendar">
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
          <FormGroup label="Planned jobs that no longer fit a window" fieldId="replace-strategy">
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
          Replace calendar
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

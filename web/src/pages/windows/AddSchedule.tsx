// Creates one or several maintenance schedules from an uploaded or fetched calendar.
import {
  Alert,
  Button,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
  Radio,
} from "@patternfly/react-core";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client";
import { isDrafted } from "../../api/common";
import { useMay } from "../../app/session";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { useEditing } from "../../components/editing";
import { Field } from "../../components/Field";
import { FileField } from "../../components/FileField";
import { TextWithTimes } from "../../components/TextWithTimes";
import { calendarBytesMost, labelOf } from "./label";
import type { CalendarRecord } from "./types";

interface Props {
  isOpen: boolean;
  onOpen: (is: boolean) => void;
}

export function AddSchedule({ isOpen, onOpen }: Props) {
  const may = useMay("windows.change");
  if (!may) return null;
  return (
    <>
      <DraftAwareButton onClick={() => onOpen(true)}>Create schedule</DraftAwareButton>
      {isOpen && <AddDialog onClose={() => onOpen(false)} />}
    </>
  );
}

type Source = "file" | "url" | "none";

function AddDialog({ onClose }: { onClose: () => void }) {
  const { report, reload } = useCommonChange("windows");
  // The event titles of a drafted calendar are not known yet.
  const drafting = useEditing().own !== undefined;
  const [source, setSource] = useState<Source>("file");
  const [text, setText] = useState("");
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const [multi, setMulti] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const hasSource = source === "none" || (source === "file" ? text !== "" : url !== "");
  const refused = drafting && multi && source !== "none";
  const ready = hasSource && name !== "" && !busy && !refused;

  const make = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    setBusy(true);
    setProblem("");
    try {
      let scheduleNames: string[] = [name];
      let answer: unknown;
      if (source !== "none") {
        const calendar = await api.post<CalendarRecord>(
          "/api/v1/windows/calendars",
          source === "file" ? { label: name, text } : { label: name, url },
        );
        if (multi && isDrafted(calendar))
          throw new Error(
            `Calendar ${name} was added to the draft. Create its schedules after the draft is applied.`,
          );
        if (multi) scheduleNames = calendar.summaries;
      }
      for (const scheduleName of scheduleNames) {
        answer = await api.post("/api/v1/windows/schedules", {
          name: scheduleName,
          type: source === "none" ? "none" : multi ? "multi" : "single",
          calendar: source === "none" ? undefined : name,
        });
      }
      await report(answer, {
        title: `Created: ${scheduleNames.join(", ")}`,
        body: "Next, assign systems to the schedule.",
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
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="add-title">
      <ModalHeader title="Create maintenance schedule" labelId="add-title" />
      <ModalBody>
        <Form onSubmit={make}>
          {problem !== "" && (
            <Alert isInline variant="danger" component="h3" title="Cannot create the schedule">
              <TextWithTimes text={problem} />
            </Alert>
          )}
          <FormGroup role="radiogroup" label="Source of windows" fieldId="source-file">
            <Radio
              id="source-file"
              name="source"
              label="Calendar file"
              isChecked={source === "file"}
              onChange={() => setSource("file")}
            />
            <Radio
              id="source-url"
              name="source"
              label="Calendar URL, fetched daily"
              isChecked={source === "url"}
              onChange={() => setSource("url")}
            />
            <Radio
              id="source-none"
              name="source"
              label="No windows: jobs that respect windows never run"
              isChecked={source === "none"}
              onChange={() => setSource("none")}
            />
          </FormGroup>
          {source === "file" && (
            <FileField
              id="add-file"
              label="File"
              accept=".ics,text/calendar"
              bytesMost={calendarBytesMost}
              onRead={(content, chosen) => {
                setText(content);
                setName((is) => is || labelOf(chosen));
              }}
            />
          )}
          {source === "url" && (
            <Field
              id="add-url"
              label="URL"
              type="url"
              value={url}
              onChange={setUrl}
              hint="https only, up to 1 MiB"
              isRequired
            />
          )}
          <Field id="add-name" label="Name" value={name} onChange={setName} isRequired />
          {source !== "none" && (
            <FormGroup role="radiogroup" label="Schedules" fieldId="add-single">
              <Radio
                id="add-single"
                name="multi"
                label="One schedule from all events"
                isChecked={!multi}
                onChange={() => setMulti(false)}
              />
              <Radio
                id="add-multi"
                name="multi"
                label="One schedule per event title"
                description={
                  drafting
                    ? "Not available in an edit session: event titles are known after the calendar is applied."
                    : undefined
                }
                isDisabled={drafting && !multi}
                isChecked={multi}
                onChange={() => setMulti(true)}
              />
            </FormGroup>
          )}
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button isDisabled={!ready} isLoading={busy} onClick={() => void make()}>
          Create schedule
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

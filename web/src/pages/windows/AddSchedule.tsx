// A calendar is uploaded or fetched, and becomes one schedule or several.
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
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client";
import { isDrafted } from "../../api/common";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { DraftAwareButton } from "../../components/DraftAwareButton";
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
      <DraftAwareButton onClick={() => onOpen(true)}>Add schedule</DraftAwareButton>
      {isOpen && <AddDialog onClose={() => onOpen(false)} />}
    </>
  );
}

type Source = "file" | "url" | "none";

function AddDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  // Which names are in a calendar is known once it is there; in a draft it is not yet.
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
      let drafted = false;
      if (source !== "none") {
        const calendar = await api.post<CalendarRecord>(
          "/api/v1/windows/calendars",
          source === "file" ? { label: name, text } : { label: name, url },
        );
        if (multi && isDrafted(calendar))
          throw new Error(
            `The calendar ${name} is in the draft. Its schedules can be made when the draft was applied.`,
          );
        if (multi) scheduleNames = calendar.summaries;
      }
      for (const scheduleName of scheduleNames) {
        const answer = await api.post("/api/v1/windows/schedules", {
          name: scheduleName,
          type: source === "none" ? "none" : multi ? "multi" : "single",
          calendar: source === "none" ? undefined : name,
        });
        drafted = isDrafted(answer);
      }
      tell({
        title: drafted
          ? `${scheduleNames.join(", ")}: in the draft`
          : `${scheduleNames.join(", ")} made`,
        body: "Now say which systems have it.",
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
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="add-title">
      <ModalHeader title="Add a maintenance schedule" labelId="add-title" />
      <ModalBody>
        <Form onSubmit={make}>
          {problem !== "" && (
            <Alert isInline variant="danger" component="h3" title="Not made">
              <TextWithTimes text={problem} />
            </Alert>
          )}
          <FormGroup role="radiogroup" label="Windows come from" fieldId="source-file">
            <Radio
              id="source-file"
              name="source"
              label="a calendar file"
              isChecked={source === "file"}
              onChange={() => setSource("file")}
            />
            <Radio
              id="source-url"
              name="source"
              label="a calendar at an address, fetched again each day"
              isChecked={source === "url"}
              onChange={() => setSource("url")}
            />
            <Radio
              id="source-none"
              name="source"
              label="nowhere: its systems are never changed"
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
              label="Address"
              type="url"
              value={url}
              onChange={setUrl}
              hint="https only, at most 1 MiB"
              isRequired
            />
          )}
          <Field id="add-name" label="Name" value={name} onChange={setName} isRequired />
          {source !== "none" && (
            <FormGroup role="radiogroup" label="It holds" fieldId="add-single">
              <Radio
                id="add-single"
                name="multi"
                label="one schedule: all its events are windows"
                isChecked={!multi}
                onChange={() => setMulti(false)}
              />
              <Radio
                id="add-multi"
                name="multi"
                label="several: one for each title of events"
                description={
                  drafting
                    ? "Not while you edit: which titles there are is known when the calendar is there."
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
          Add
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
      </ModalFooter>
    </Modal>
  );
}

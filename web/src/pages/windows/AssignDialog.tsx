// Assigns a maintenance schedule to systems, or removes theirs.
import {
  Alert,
  Button,
  Form,
  FormGroup,
  Modal,
  ModalBody,
  ModalFooter,
  ModalHeader,
} from "@patternfly/react-core";
import { type FormEvent, useState } from "react";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import { withinZone } from "../../api/query";
import { useZone } from "../../app/zone";
import { CopyCli } from "../../components/CopyCli";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { plural } from "../../components/format";
import { QueryBox } from "../../components/QueryBox";
import { TextWithTimes } from "../../components/TextWithTimes";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import { useCount } from "../../components/useCount";
import type { Assigned } from "./types";

function noticeOf(schedule: string, done: Assigned) {
  const systems = plural(done.systems, "system");
  const notes = [
    done.had_another > 0 &&
      `${plural(done.had_another, "system")} had another maintenance schedule.`,
    done.cancelled_jobs?.length > 0 &&
      `${plural(done.cancelled_jobs.length, "planned job")} cancelled.`,
  ];
  return {
    title:
      schedule === "" ? `Schedule removed from ${systems}` : `${schedule} assigned to ${systems}`,
    body: notes.filter(Boolean).join(" "),
  };
}

// `schedule` "": the systems' schedules are removed.
export function AssignDialog({ schedule, onClose }: { schedule: string; onClose: () => void }) {
  const { report, reload } = useCommonChange("windows");
  const { zone } = useZone();
  const vocabulary = useCompletionTerms();
  const [query, setQuery] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const hasQuery = query.trim() !== "";
  const zonedQuery = withinZone(query, zone);
  const matches = useCount(query, { zone, enabled: hasQuery });
  const matchCount =
    hasQuery && !matches.error && !matches.behind ? matches.data?.count : undefined;
  const ready = !busy && (matchCount ?? 0) > 0;
  const title = schedule === "" ? "Remove schedules from systems" : `Assign ${schedule} to systems`;

  const assign = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!ready) return;
    setBusy(true);
    setProblem("");
    try {
      const path =
        schedule === ""
          ? "/api/v1/windows/unassign"
          : `/api/v1/windows/schedules/${part(schedule)}/assign`;
      const done = await api.post<Assigned>(path, { query: zonedQuery });
      await report(done, noticeOf(schedule, done));
      onClose();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
      void reload();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="assign-title">
      <ModalHeader title={title} labelId="assign-title" />
      <ModalBody>
        <Form onSubmit={assign}>
          {problem !== "" && (
            <Alert
              isInline
              variant="danger"
              component="h3"
              title={schedule === "" ? "Cannot remove schedules" : "Cannot assign the schedule"}
            >
              <TextWithTimes text={problem} />
            </Alert>
          )}
          <FormGroup label="Systems" fieldId="assign-query" isRequired>
            <QueryBox
              id="assign-query"
              label="Systems"
              value={query}
              onChange={setQuery}
              onSubmit={() => void assign()}
              vocabulary={vocabulary}
              count={matchCount}
              problem={hasQuery && !matches.behind ? matches.error?.message : undefined}
              autoFocus
            />
          </FormGroup>
          <p className="quiet">
            {schedule === ""
              ? "The systems may then be changed at any time. Planned jobs stay planned."
              : "A system has one maintenance schedule. The new schedule replaces the old one, and jobs planned for windows of the old one are cancelled."}
          </p>
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button isDisabled={!ready} isLoading={busy} onClick={() => void assign()}>
          {schedule === "" ? "Remove schedules" : "Assign schedule"}
        </Button>
        <Button variant="link" onClick={onClose}>
          Cancel
        </Button>
        <CopyCli
          command={
            schedule === ""
              ? commandLine("muster", "windows", "unassign", zonedQuery || "QUERY")
              : commandLine("muster", "windows", "assign", schedule, zonedQuery || "QUERY")
          }
        />
      </ModalFooter>
    </Modal>
  );
}

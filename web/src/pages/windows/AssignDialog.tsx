// Gives a schedule to systems, or takes theirs away.
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
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import { withinZone } from "../../api/query";
import { useNotifications } from "../../app/notifications";
import { useZone } from "../../app/zone";
import { CopyCli } from "../../components/CopyCli";
import { plural } from "../../components/format";
import { QueryBox } from "../../components/QueryBox";
import { TextWithTimes } from "../../components/TextWithTimes";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import { useCount } from "../../components/useCount";
import type { Assigned } from "./types";

// `schedule` "": their schedule is taken away.
export function AssignDialog({ schedule, onClose }: { schedule: string; onClose: () => void }) {
  const client = useQueryClient();
  const { tell } = useNotifications();
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
  const title = schedule === "" ? "Take schedules away" : `Give ${schedule} to systems`;

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
      if (isDrafted(done)) tell({ title: "In the draft" });
      else
        tell({
          title: `${plural(done.systems, "system")} ${schedule === "" ? "may be changed at any time" : `now in ${schedule}`}`,
          body: [
            done.had_another > 0 && `${plural(done.had_another, "system")} had another one.`,
            done.cancelled_jobs.length > 0 &&
              `${plural(done.cancelled_jobs.length, "planned job")} taken back.`,
          ]
            .filter(Boolean)
            .join(" "),
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
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="assign-title">
      <ModalHeader title={title} labelId="assign-title" />
      <ModalBody>
        <Form onSubmit={assign}>
          {problem !== "" && (
            <Alert isInline variant="danger" component="h3" title="Not done">
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
              ? "What is planned for them stays planned."
              : "A system has one schedule: whatever it had before is replaced, and what is planned for it within windows is taken back."}
          </p>
        </Form>
      </ModalBody>
      <ModalFooter>
        <Button isDisabled={!ready} isLoading={busy} onClick={() => void assign()}>
          {schedule === "" ? "Take away" : "Give"}
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

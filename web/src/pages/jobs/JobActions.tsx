// What can be done with a job as it stands.
import { Button, Checkbox, Flex } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { Link, useNavigate } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import type { Job } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { CopyCli } from "../../components/CopyCli";
import { count } from "../../components/format";
import { hasEnded } from "./jobText";
import type { FullJob } from "./types";

type Verb = "pause" | "resume" | "cancel" | "release" | "retry";

const notices: Record<Verb, string> = {
  pause: "Job paused. No new tasks are started.",
  resume: "Job resumed",
  cancel: "Job cancelled",
  release: "Remaining systems released",
  retry: "Job created for the failed systems",
};

const failures: Record<Verb, string> = {
  pause: "Job not paused",
  resume: "Job not resumed",
  cancel: "Job not cancelled",
  release: "Remaining systems not released",
  retry: "Retry job not created",
};

// One retry of a job from this page is one new job, however often it is sent: the answer may have
// been lost. Whoever comes back later means another one. (To pause twice is no harm, and to pause
// again after resuming is meant.)
function useKeyFor(job: string): string {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another job, another key
  return useMemo(() => crypto.randomUUID(), [job]);
}

export function JobActions({ job }: { job: FullJob }) {
  const may = useMay("jobs.run");
  const go = useNavigate();
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [busy, setBusy] = useState<Verb | null>(null);
  const [asks, setAsks] = useState(false);
  const [force, setForce] = useState(false);

  const sending = useRef(false);
  const retryKey = useKeyFor(job.id);

  const act = async (verb: Verb, body: Record<string, unknown> = {}) => {
    // What is drawn may be older than a second press.
    if (sending.current) return;
    sending.current = true;
    setBusy(verb);
    try {
      const result = await api.post<Job>(`/api/v1/jobs/${part(job.id)}/${verb}`, body, {
        headers: verb === "retry" ? { "Idempotency-Key": retryKey } : {},
      });
      tell({ title: notices[verb] });
      if (verb === "retry") go(`/jobs/${result.id}`);
    } catch (failure) {
      fail(failures[verb], failure);
    } finally {
      sending.current = false;
      setBusy(null);
      setAsks(false);
      void client.invalidateQueries({ queryKey: ["jobs"] });
    }
  };
  const button = (verb: Verb, text: string, variant: "secondary" | "primary" = "secondary") => (
    <Button
      variant={variant}
      isLoading={busy === verb}
      isDisabled={busy !== null}
      onClick={() => void act(verb)}
    >
      {text}
    </Button>
  );
  const failed = job.counts?.failed ?? 0;
  const waiting = job.stage === "open" && job.phase !== "everybody";
  return (
    <Flex gap={{ default: "gapSm" }}>
      <CopyCli command={commandLine("muster", "job", job.id)} />
      {may && (
        <>
          {job.stage === "open" && button("pause", "Pause job")}
          {job.stage === "paused" && button("resume", "Resume job", "primary")}
          {(waiting || job.stage === "halted") && button("release", "Release remaining systems")}
          {hasEnded(job) &&
            failed > 0 &&
            button("retry", `Retry ${count(failed)} failed`, "primary")}
          <Button
            variant="secondary"
            component={(props) => <Link {...props} to={`/jobs/new?from=${job.id}`} />}
          >
            Run again…
          </Button>
          {!hasEnded(job) && (
            <Button
              variant="secondary"
              component={(props) => (
                <Link
                  {...props}
                  to={`/jobs/new?${new URLSearchParams({ q: job.query, after: job.id })}`}
                />
              )}
            >
              Run next…
            </Button>
          )}
          {!hasEnded(job) && (
            <Button variant="danger" isDisabled={busy !== null} onClick={() => setAsks(true)}>
              Cancel job…
            </Button>
          )}
        </>
      )}
      {asks && (
        <ConfirmDialog
          title="Cancel this job?"
          action="Cancel job"
          dismiss="Keep running"
          danger
          onConfirm={() => act("cancel", { force })}
          onClose={() => setAsks(false)}
        >
          Queued tasks will not start. Running tasks continue unless you stop them.
          <Checkbox
            id="cancel-force"
            label="Stop running tasks"
            isChecked={force}
            onChange={(_, is) => setForce(is)}
          />
        </ConfirmDialog>
      )}
    </Flex>
  );
}

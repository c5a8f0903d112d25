// A new job: whom, what, when, how fast; beside it what that comes to.
import {
  ActionGroup,
  Alert,
  Breadcrumb,
  BreadcrumbItem,
  Button,
  Form,
  Grid,
  GridItem,
} from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router-dom";
import { ApiError, api, part } from "../../api/client";
import { withinZone } from "../../api/query";
import { RequestKey } from "../../api/requestKey";
import type { Job } from "../../api/types";
import { useZone } from "../../app/zone";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { CopyCli } from "../../components/CopyCli";
import { plural } from "../../components/format";
import { PageFrame } from "../../components/PageFrame";
import { LoadingView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import {
  commandOf,
  type JobForm,
  jobFormFromJob,
  jobFormFromSearch,
  mustAsk,
  problemsOf,
  requestOf,
} from "./jobForm";
import { PreviewPane, usePreview } from "./PreviewPane";
import { RolloutFields } from "./RolloutFields";
import type { FullJob } from "./types";
import { WorkFields } from "./WorkFields";

export function NewJob() {
  const [search] = useSearchParams();
  const from = search.get("from");
  const old = useQuery({
    queryKey: ["jobs", from],
    queryFn: ({ signal }) => api.get<FullJob>(`/api/v1/jobs/${part(from ?? "")}`, { signal }),
    enabled: from !== null,
  });
  if (from !== null && old.isLoading) return <LoadingView what="job" />;
  return <JobFormPage first={old.data ? jobFormFromJob(old.data) : jobFormFromSearch(search)} />;
}

function JobFormPage({ first }: { first: JobForm }) {
  const go = useNavigate();
  const client = useQueryClient();
  const { zone } = useZone();
  const [wish, setWish] = useState(first);
  const [tried, setTried] = useState(false);
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [key] = useState(() => new RequestKey());

  const zonedForm = useMemo(
    () => ({ ...wish, query: wish.query.trim() === "" ? "" : withinZone(wish.query, zone) }),
    [wish, zone],
  );
  const preview = usePreview(wish, zone);
  const targets = preview.data?.targets;
  const problems = problemsOf(wish);
  const shownProblems = tried ? problems : {};
  const change = (changes: Partial<JobForm>) => setWish((is) => ({ ...is, ...changes }));

  const make = async () => {
    setBusy(true);
    setProblem("");
    const body = requestOf(zonedForm);
    try {
      const job = await api.post<Job>("/api/v1/jobs", body, {
        headers: { "Idempotency-Key": key.of(body) },
      });
      void client.invalidateQueries({ queryKey: ["jobs"] });
      go(`/jobs/${job.id}`);
    } catch (failure) {
      setProblem(failure instanceof ApiError ? failure.message : String(failure));
    } finally {
      setBusy(false);
      setAsks(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length > 0 || preview.behind) return;
    // What the server refused to look at is not sent: within a zone it might be read differently.
    if (preview.refused) return setProblem(preview.error?.message ?? "");
    if (mustAsk(wish, targets)) setAsks(true);
    else void make();
  };

  return (
    <PageFrame
      title="Create job"
      above={
        <Breadcrumb>
          <BreadcrumbItem>
            <Link to="/jobs">Jobs</Link>
          </BreadcrumbItem>
          <BreadcrumbItem isActive>Create job</BreadcrumbItem>
        </Breadcrumb>
      }
      actions={<CopyCli command={commandOf(zonedForm)} />}
    >
      <Grid hasGutter>
        <GridItem xl={7}>
          <Form onSubmit={submit} noValidate>
            <WorkFields
              wish={wish}
              change={change}
              problems={shownProblems}
              preview={preview}
              zone={zone}
            />
            <RolloutFields wish={wish} change={change} problems={shownProblems} />
            {problem !== "" && (
              <Alert isInline variant="danger" component="h2" title="Job not created">
                <TextWithTimes text={problem} />
              </Alert>
            )}
            {tried && Object.keys(problems).length > 0 && (
              <Alert isInline variant="warning" component="h2" title="Complete the form">
                {Object.values(problems).join(" ")}
              </Alert>
            )}
            <ActionGroup>
              <Button type="submit" isLoading={busy} isDisabled={busy || preview.behind}>
                {targets !== undefined && wish.query.trim() !== ""
                  ? `Run on ${plural(targets, "system")}`
                  : "Run job"}
              </Button>
              <Button variant="link" component={(props) => <Link {...props} to="/jobs" />}>
                Cancel
              </Button>
            </ActionGroup>
          </Form>
        </GridItem>
        <GridItem xl={5}>
          <PreviewPane wish={zonedForm} preview={preview} />
        </GridItem>
      </Grid>
      {asks && (
        <ConfirmDialog
          title={
            targets === undefined
              ? "Run on an unknown number of systems?"
              : `Run on ${plural(targets, "system")}?`
          }
          action="Run job"
          onConfirm={make}
          onClose={() => setAsks(false)}
        >
          {targets === undefined && wish.query.trim() !== "*"
            ? "The preview is not available."
            : `This job runs on ${wish.query.trim() === "*" ? "all systems" : "many systems"}.`}{" "}
          Use canaries and a batch size to limit the impact of a mistake.
        </ConfirmDialog>
      )}
    </PageFrame>
  );
}

// One job on one system: how it stands and why, what it writes as it writes it, what it returned.
import {
  Alert,
  Breadcrumb,
  BreadcrumbItem,
  Button,
  Card,
  CardBody,
  CardTitle,
  Flex,
} from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import { followEvents } from "../../api/events";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { CopyCli } from "../../components/CopyCli";
import { sentenceCase } from "../../components/format";
import { PageFrame } from "../../components/PageFrame";
import { isMoment } from "../../components/parseTimes";
import { StateLabel } from "../../components/StateLabel";
import { ErrorView, LoadingView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";
import { type LiveOutput, nothingYet, withEvent } from "./live";
import { Block, OutputText } from "./OutputText";
import type { Task, Why } from "./types";

const lookEvery = 3_000;
const going = (task: Task | undefined) => task?.state === "queued" || task?.state === "picked_up";

export function TaskPage() {
  const { job = "", system = "" } = useParams();
  const path = `/api/v1/jobs/${part(job)}/tasks/${part(system)}`;
  const task = useQuery({
    queryKey: ["jobs", job, "task", system],
    queryFn: ({ signal }) => api.get<Task>(path, { signal }),
    refetchInterval: (query) =>
      going(query.state.data) || query.state.data?.output_pending ? lookEvery : false,
  });
  const name = task.data?.name ?? `#${system}`;
  return (
    <PageFrame
      title={name}
      above={
        <Breadcrumb>
          <BreadcrumbItem>
            <Link to="/jobs">Jobs</Link>
          </BreadcrumbItem>
          <BreadcrumbItem>
            <Link to={`/jobs/${job}`}>{job}</Link>
          </BreadcrumbItem>
          <BreadcrumbItem isActive>{name}</BreadcrumbItem>
        </Breadcrumb>
      }
      subtitle={
        task.data && (
          <span className="job-head">
            <StateLabel state={task.data.state} />
            {task.data.ended && (
              <span>
                Ended <Time at={task.data.ended} />
              </span>
            )}
            {task.data.attempt !== null && task.data.attempt > 1 && (
              <span>Attempt {task.data.attempt}</span>
            )}
            {task.data.node && <span>Node {task.data.node}</span>}
            <Link to={`/systems/${part(system)}`}>Show system</Link>
          </span>
        )
      }
      actions={
        <Flex gap={{ default: "gapSm" }}>
          <CopyCli command={commandLine("muster", "job", job, "--follow", name)} />
          {task.data?.state === "picked_up" && <Signals job={job} system={system} />}
        </Flex>
      }
    >
      {task.error && <ErrorView error={task.error} retry={() => void task.refetch()} />}
      {task.isLoading && <LoadingView what="task" />}
      {task.data && (
        <div className="kinds">
          <WhyCard path={path} live={going(task.data)} />
          {going(task.data) ? (
            <LiveCard path={path} job={job} system={system} />
          ) : (
            <Card isCompact>
              <CardTitle component="h2">Output</CardTitle>
              <CardBody>
                {task.data.reason && (
                  <p>
                    <TextWithTimes text={task.data.reason} />
                  </p>
                )}
                {task.data.output_pending && (
                  <p className="quiet">Output is still being transferred.</p>
                )}
                <OutputText
                  output={task.data.output}
                  job={job}
                  digest={task.data.digest}
                  size={task.data.payload_size}
                  truncated={task.data.truncated}
                />
              </CardBody>
            </Card>
          )}
        </div>
      )}
    </PageFrame>
  );
}

function WhyCard({ path, live }: { path: string; live: boolean }) {
  const why = useQuery({
    queryKey: ["jobs", path, "why"],
    queryFn: ({ signal }) => api.get<Why>(`${path}/why`, { signal }),
    refetchInterval: live ? lookEvery : false,
  });
  if (!why.data) return null;
  const facts = Object.entries(why.data.facts);
  return (
    <Card isCompact className="why">
      <CardTitle component="h2">Why</CardTitle>
      <CardBody>
        <p>
          <TextWithTimes text={why.data.sentence} />
        </p>
        <dl className="facts-line">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{sentenceCase(name)}</dt>
              <dd>{isMoment(value) ? <Time at={value} /> : wordOf(value)}</dd>
            </div>
          ))}
        </dl>
      </CardBody>
    </Card>
  );
}

function wordOf(value: unknown): string {
  if (value === true) return "Yes";
  if (value === false) return "No";
  return String(value);
}

function LiveCard({ path, job, system }: { path: string; job: string; system: string }) {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveOutput>(nothingYet);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const ending = new AbortController();
    setLive(nothingYet);
    followEvents(`${path}/output`, { signal: ending.signal }, (event) => {
      setLive((is) => withEvent(is, event.name, event.data));
      if (event.name === "end")
        void client.invalidateQueries({ queryKey: ["jobs", job, "task", system] });
    }).catch((failure: unknown) =>
      setProblem(failure instanceof Error ? failure.message : String(failure)),
    );
    return () => ending.abort();
  }, [path, job, system, client]);
  return (
    <Card isCompact>
      <CardTitle component="h2">Live output</CardTitle>
      <CardBody>
        {problem !== "" && (
          <Alert isInline variant="warning" component="h3" title="Live output not available">
            <TextWithTimes text={problem} />
          </Alert>
        )}
        {live.remark !== "" && (
          <p className="quiet">
            <TextWithTimes text={live.remark} />
          </p>
        )}
        {live.cut && (
          <p className="quiet">
            The beginning is not shown here. The full output is available when the task ends.
          </p>
        )}
        {live.text === "" ? (
          <p className="quiet">{live.state === "queued" ? "Not started yet." : "No output yet."}</p>
        ) : (
          <Block name="output" text={live.text} live />
        )}
      </CardBody>
    </Card>
  );
}

function Signals({ job, system }: { job: string; system: string }) {
  const may = useMay("jobs.run");
  const { tell, fail } = useNotifications();
  if (!may) return null;
  const signal = async (word: "cancel" | "kill") => {
    try {
      await api.post(`/api/v1/systems/${part(system)}/tasks/${part(job)}/signal`, { signal: word });
      tell({
        title:
          word === "kill" ? "Task killed" : "Stop requested. The task is killed after 10 seconds.",
      });
    } catch (failure) {
      fail("Task not stopped", failure);
    }
  };
  return (
    <>
      <Button variant="secondary" onClick={() => void signal("cancel")}>
        Stop task
      </Button>
      <Button variant="danger" onClick={() => void signal("kill")}>
        Kill task
      </Button>
    </>
  );
}

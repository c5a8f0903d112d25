// Jobs that run, with how far they are.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import { jobEnded } from "../../api/names";
import type { Job } from "../../api/types";
import { count, percent, span } from "../../components/format";
import { Meter } from "../../components/Meter";
import { StateLabel } from "../../components/StateLabel";
import { Time } from "../../components/Time";
import { WindowWaits } from "../../components/WindowWaits";
import { jobText, standing, waitsForWindows } from "../jobs/jobText";

const shownMost = 5;

function Progress({ job }: { job: Job }) {
  const ended = job.ended ?? 0;
  const share = job.targets === 0 ? 1 : ended / job.targets;
  const failed = job.failed ?? 0;
  return (
    <div className="run-progress">
      <Meter
        share={share}
        bad={job.targets === 0 ? 0 : failed / job.targets}
        label={`${percent(share)} of systems finished`}
      />
      <span className="quiet">
        {count(ended)} of {count(job.targets)}
        {failed > 0 && `, ${count(failed)} failed`}
        {job.eta_seconds && !waitsForWindows(job) ? `, ${span(job.eta_seconds)} left` : ""}
      </span>
      {job.waiting !== undefined && job.waiting.length > 0 && (
        <span className="quiet">
          <WindowWaits waits={job.waiting} />
        </span>
      )}
    </div>
  );
}

function Row({ job }: { job: Job }) {
  const running = !jobEnded.has(job.stage);
  return (
    <li className="run-row">
      <div className="run-line">
        <span>
          <Link to={`/jobs/${job.id}`}>{jobText(job)}</Link>{" "}
          <span className="quiet run-query" title={job.query}>
            {job.query}
          </span>
        </span>
        <span className="quiet">
          <StateLabel {...standing(job)} /> <Time at={job.made} style="relative" />
        </span>
      </div>
      {running && <Progress job={job} />}
    </li>
  );
}

interface Props {
  recent: Job[] | undefined; // undefined: not read yet
  running: Job[] | undefined;
  more: boolean; // more run than are here
  zone: string;
}

export function Jobs({ recent, running, more, zone }: Props) {
  const runs = running !== undefined && running.length > 0;
  const visible = runs ? running.slice(0, shownMost) : (recent ?? []).slice(0, 3);
  return (
    <Card>
      <CardTitle component="h2">
        {runs ? `Active jobs (${count(running.length)}${more ? "+" : ""})` : "Jobs"}
        {zone !== "" && <span className="quiet"> in zone {zone}</span>}
      </CardTitle>
      <CardBody>
        {!runs && recent && running && (
          <p className="quiet">
            No active jobs.{" "}
            {recent.length === 0 ? (
              <>
                <Link to="/jobs/new">Create a job</Link>.
              </>
            ) : (
              "Latest jobs:"
            )}
          </p>
        )}
        <ul className="run-rows">
          {visible.map((job) => (
            <Row key={job.id} job={job} />
          ))}
        </ul>
        {runs && running.length > visible.length && (
          <Link to="/jobs?only=running">Show all active jobs</Link>
        )}
      </CardBody>
    </Card>
  );
}

// Jobs that run, with how far they are.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import { jobEnded } from "../../api/names";
import type { Job } from "../../api/types";
import { count, percent, span } from "../../components/format";
import { Meter } from "../../components/Meter";
import { StateLabel } from "../../components/StateLabel";
import { Time } from "../../components/Time";

const shownMost = 5;

function Progress({ job }: { job: Job }) {
  const ended = job.ended ?? 0;
  const share = job.targets === 0 ? 1 : ended / job.targets;
  const failed = job.failed ?? 0;
  return (
    <div className="job-progress">
      <Meter
        share={share}
        kind={failed > 0 ? "warn" : "info"}
        label={`${percent(share)} of the systems have ended`}
      />
      <span className="quiet">
        {count(ended)} of {count(job.targets)}
        {failed > 0 && `, ${count(failed)} failed`}
        {job.eta_seconds ? `, ${span(job.eta_seconds)} left` : ""}
      </span>
    </div>
  );
}

function Row({ job }: { job: Job }) {
  const running = !jobEnded.has(job.stage);
  return (
    <li className="job-row">
      <div className="job-line">
        <span>
          <Link to={`/jobs/${job.id}`}>{job.function}</Link>{" "}
          <span className="quiet job-query" title={job.query}>
            {job.query}
          </span>
        </span>
        <span className="quiet">
          <StateLabel state={job.stage} /> <Time at={job.made} style="relative" />
        </span>
      </div>
      {running && <Progress job={job} />}
    </li>
  );
}

export function Jobs({ jobs }: { jobs: Job[] | undefined }) {
  const running = jobs?.filter((each) => !jobEnded.has(each.stage)) ?? [];
  const shown = running.length > 0 ? running.slice(0, shownMost) : (jobs ?? []).slice(0, 3);
  return (
    <Card isFullHeight>
      <CardTitle component="h2">
        {running.length > 0 ? `Running jobs (${count(running.length)})` : "Jobs"}
      </CardTitle>
      <CardBody>
        {jobs && running.length === 0 && (
          <p className="quiet">
            Nothing runs now.{" "}
            {jobs.length === 0 ? (
              <>
                <Link to="/jobs/new">Run something</Link> on systems that you choose.
              </>
            ) : (
              "The last ones:"
            )}
          </p>
        )}
        <ul className="job-rows">
          {shown.map((each) => (
            <Row key={each.id} job={each} />
          ))}
        </ul>
      </CardBody>
    </Card>
  );
}

import { Card, CardBody } from "@patternfly/react-core";
import { count, percent, span } from "../../components/format";
import { ShareBar } from "../../components/ShareBar";
import { TextWithTimes } from "../../components/TextWithTimes";
import { hasEnded, sharesOf } from "./jobText";
import type { FullJob } from "./types";

export function JobProgress({ job }: { job: FullJob }) {
  const counts = job.counts;
  const ended = job.ended ?? 0;
  const share = job.targets === 0 ? 1 : ended / job.targets;
  return (
    <Card isCompact>
      <CardBody>
        <div className="job-line">
          <strong className="job-share">{percent(share)}</strong>
          <span>
            {count(ended)} of {count(job.targets)} systems have ended
          </span>
          {!hasEnded(job) && job.rate ? <span>{count(job.rate)} a second</span> : null}
          {!hasEnded(job) && job.eta_seconds ? <span>{span(job.eta_seconds)} left</span> : null}
          {job.reason !== "" && (
            <span className="quiet">
              <TextWithTimes text={job.reason} />
            </span>
          )}
        </div>
        {counts && <ShareBar label="Tasks by state" shares={sharesOf(counts)} />}
      </CardBody>
    </Card>
  );
}

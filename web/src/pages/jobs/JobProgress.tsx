import { Card, CardBody } from "@patternfly/react-core";
import { count, percent, span } from "../../components/format";
import { ShareBar } from "../../components/ShareBar";
import { TextWithTimes } from "../../components/TextWithTimes";
import { WindowWaits } from "../../components/WindowWaits";
import { hasEnded, sharesOf, waitsForWindows } from "./jobText";
import type { FullJob } from "./types";

export function JobProgress({ job }: { job: FullJob }) {
  const counts = job.counts;
  const ended = job.ended ?? 0;
  const waits = job.waiting ?? [];
  // Nothing is known of how long a window takes to open and how much of it is used.
  const running = !hasEnded(job) && !waitsForWindows(job);
  const share = job.targets === 0 ? 1 : ended / job.targets;
  return (
    <Card isCompact>
      <CardBody>
        <div className="job-line">
          <strong className="job-share">{percent(share)}</strong>
          <span>
            {count(ended)} of {count(job.targets)} systems finished
          </span>
          {running && job.rate ? <span>{count(job.rate)} per second</span> : null}
          {running && job.eta_seconds ? <span>{span(job.eta_seconds)} left</span> : null}
          {!hasEnded(job) && waits.length > 0 && <WindowWaits waits={waits} />}
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

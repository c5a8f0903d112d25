// All that a job was made with.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import { sentenceCase } from "../../components/format";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";
import type { FullJob } from "./types";

export function JobDetails({ job }: { job: FullJob }) {
  const { options } = job;
  const plain = Object.entries(options).filter(
    ([name, value]) => value !== null && name !== "parents" && name !== "at",
  );
  return (
    <div className="kinds">
      <Card isCompact>
        <CardTitle component="h2">Function</CardTitle>
        <CardBody>
          <p className="mono">{job.function}</p>
          <section aria-label="Arguments" tabIndex={0} className="output-port">
            <pre>{JSON.stringify(job.arguments, null, 2)}</pre>
          </section>
        </CardBody>
      </Card>
      <Card isCompact>
        <CardTitle component="h2">Options</CardTitle>
        <CardBody>
          <dl className="facts-line">
            <div>
              <dt>Not before</dt>
              <dd>{options.at ? <Time at={options.at} /> : "Immediately"}</dd>
            </div>
            {plain.map(([name, value]) => (
              <div key={name}>
                <dt>{sentenceCase(name)}</dt>
                <dd>
                  {value === true ? (
                    "Yes"
                  ) : value === false ? (
                    "No"
                  ) : (
                    <TextWithTimes text={String(value)} />
                  )}
                </dd>
              </div>
            ))}
            <Others name="After jobs" jobs={options.parents} />
            <Others name="Replaces" jobs={job.replaces ? [job.replaces] : []} />
            <Others name="Replaced by" jobs={job.replaced_by} />
            <div>
              <dt>Last changed</dt>
              <dd>
                <Time at={job.changed} />
              </dd>
            </div>
          </dl>
        </CardBody>
      </Card>
    </div>
  );
}

function Others({ name, jobs }: { name: string; jobs: string[] }) {
  if (jobs.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {jobs.map((job) => (
          <Link key={job} to={`/jobs/${job}`}>
            {job}{" "}
          </Link>
        ))}
      </dd>
    </div>
  );
}

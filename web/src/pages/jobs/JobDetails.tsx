// All that a job was made with.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
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
        <CardTitle component="h2">What</CardTitle>
        <CardBody>
          <p className="mono">{job.function}</p>
          <section aria-label="Arguments" tabIndex={0} className="output-port">
            <pre>{JSON.stringify(job.arguments, null, 2)}</pre>
          </section>
        </CardBody>
      </Card>
      <Card isCompact>
        <CardTitle component="h2">How</CardTitle>
        <CardBody>
          <dl className="facts-line">
            <div>
              <dt>not before</dt>
              <dd>{options.at ? <Time at={options.at} /> : "at once"}</dd>
            </div>
            {plain.map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll("_", " ")}</dt>
                <dd>
                  {value === true ? (
                    "yes"
                  ) : value === false ? (
                    "no"
                  ) : (
                    <TextWithTimes text={String(value)} />
                  )}
                </dd>
              </div>
            ))}
            <Others name="waits for" jobs={options.parents} />
            <Others name="goes on for" jobs={job.replaces ? [job.replaces] : []} />
            <Others name="goes on as" jobs={job.replaced_by} />
            <div>
              <dt>changed</dt>
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

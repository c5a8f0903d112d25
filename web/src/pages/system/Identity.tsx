// Who it is, where it belongs, when it may be changed, how its last tasks ended.
import {
  Card,
  CardBody,
  CardTitle,
  ClipboardCopy,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Grid,
  GridItem,
  Label,
  LabelGroup,
} from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router-dom";
import { api } from "../../api/client";
import { word } from "../../api/query";
import type { System } from "../../api/types";
import { useMay } from "../../app/session";
import { StateLabel } from "../../components/StateLabel";
import { Time, TimeSpan } from "../../components/Time";
import { PresenceTimeline } from "./PresenceTimeline";
import { RecentTasks } from "./RecentTasks";

interface SystemWindows {
  schedule: string | null;
  open: boolean;
  next: { opens: string; closes: string }[];
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <DescriptionListGroup>
      <DescriptionListTerm>{term}</DescriptionListTerm>
      <DescriptionListDescription>{children}</DescriptionListDescription>
    </DescriptionListGroup>
  );
}

function Words({ words, field }: { words: string[]; field: "tag" | "group" }) {
  if (words.length === 0) return <span className="quiet">None</span>;
  return (
    <LabelGroup numLabels={20}>
      {words.map((label) => (
        <Label
          key={label}
          color={field === "tag" ? "blue" : "purple"}
          render={({ className, content }) => (
            <Link
              className={className}
              to={`/search?q=${encodeURIComponent(`${field}:${word(label)}`)}`}
            >
              {content}
            </Link>
          )}
        >
          {label}
        </Label>
      ))}
    </LabelGroup>
  );
}

const windowsShown = 5;

function Windows({ system }: { system: System }) {
  const windowsQuery = useQuery({
    queryKey: ["windows", "system", system.number],
    queryFn: ({ signal }) =>
      api.get<SystemWindows>(`/api/v1/systems/${system.number}/windows`, { signal }),
    refetchInterval: 60_000,
  });
  if (!windowsQuery.data) return windowsQuery.error ? <p>{windowsQuery.error.message}</p> : null;
  const { schedule, open, next } = windowsQuery.data;
  if (schedule === null)
    return <p>No maintenance schedule. This system may be changed at any time.</p>;
  return (
    <>
      <p>
        <Link to="/windows">{schedule}</Link>{" "}
        {open && <StateLabel state="serving" text="Open now" />}
      </p>
      {next.length === 0 && <p className="quiet">No window planned.</p>}
      <ul className="system-windows">
        {next.slice(0, windowsShown).map((window) => (
          <li key={window.opens}>
            <TimeSpan opens={window.opens} closes={window.closes} />
          </li>
        ))}
      </ul>
    </>
  );
}

export function Identity({ system }: { system: System }) {
  const mayJobs = useMay("jobs.read");
  return (
    <Grid hasGutter className="system-grid">
      <GridItem lg={7}>
        <Card isFullHeight>
          <CardTitle component="h2">Identity</CardTitle>
          <CardBody>
            <DescriptionList isHorizontal isCompact>
              <Row term="Number">{system.number ?? "Assigned on acceptance"}</Row>
              <Row term="Zone">{system.zone || "–"}</Row>
              <Row term="Tags">
                <Words words={system.tags} field="tag" />
              </Row>
              <Row term="Groups">
                <Words words={system.groups} field="group" />
              </Row>
              <Row term="Address">{system.address ?? system.origin}</Row>
              <Row term="Machine ID">
                <code>{system.machine_id || "–"}</code>
              </Row>
              <Row term="Fingerprint">
                <ClipboardCopy
                  isReadOnly
                  isCode
                  variant="inline-compact"
                  hoverTip="Copy"
                  clickTip="Copied"
                >
                  {system.fingerprint}
                </ClipboardCopy>
              </Row>
              <Row term="Enrolled">
                <Time at={system.enrolled} />
              </Row>
              {system.accepted && (
                <Row term="Accepted">
                  <Time at={system.accepted} /> by {system.accepted_by || "a rule"}
                </Row>
              )}
              {system.replaces && (
                <Row term="Replaces">
                  <Link to={`/systems/${system.replaces}`}>System {system.replaces}</Link>{" "}
                  (reinstalled)
                </Row>
              )}
            </DescriptionList>
          </CardBody>
        </Card>
      </GridItem>
      <GridItem lg={5}>
        {system.number !== null && (
          <Card>
            <CardTitle component="h2">Maintenance windows</CardTitle>
            <CardBody>
              <Windows system={system} />
            </CardBody>
          </Card>
        )}
        {system.number !== null && <PresenceTimeline system={system} />}
        {system.number !== null && mayJobs && (
          <Card className="system-second">
            <CardTitle component="h2">Recent tasks</CardTitle>
            <CardBody>
              <RecentTasks number={system.number} />
            </CardBody>
          </Card>
        )}
      </GridItem>
    </Grid>
  );
}

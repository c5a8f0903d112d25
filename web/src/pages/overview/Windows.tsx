// Windows that are open now, and the next ones.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import type { Schedule } from "../../api/types";
import { plural } from "../../components/format";
import { StateLabel } from "../../components/StateLabel";
import { Time } from "../../components/Time";
import { compareByNextWindow } from "./compareByNextWindow";

const shownMost = 6;

function Row({ schedule }: { schedule: Schedule }) {
  return (
    <li className="window-row">
      <span>
        <Link to="/windows">{schedule.name}</Link>{" "}
        <span className="quiet">{plural(schedule.systems, "system")}</span>
      </span>
      <span>
        {schedule.open ? (
          <>
            <StateLabel state="serving" text="Open" /> closes{" "}
            <Time at={schedule.closes} style="upcoming" />
          </>
        ) : schedule.opens ? (
          <>
            opens <Time at={schedule.opens} style="upcoming" />
          </>
        ) : (
          <span className="quiet">no window planned</span>
        )}
      </span>
    </li>
  );
}

interface Props {
  schedules: Schedule[] | undefined; // undefined: not read yet
  zone: string;
}

export function Windows({ schedules, zone }: Props) {
  const sorted = [...(schedules ?? [])].sort(compareByNextWindow);
  const open = sorted.filter((schedule) => schedule.open).length;
  return (
    <Card>
      <CardTitle component="h2">
        {open > 0 ? `${plural(open, "window")} open` : "Maintenance windows"}
        {zone !== "" && <span className="quiet"> in all zones</span>}
      </CardTitle>
      <CardBody>
        {schedules?.length === 0 && (
          <p className="quiet">
            No maintenance schedules. All systems may be changed at any time.{" "}
            <Link to="/windows">Add a schedule</Link>.
          </p>
        )}
        <ul className="window-rows">
          {sorted.slice(0, shownMost).map((schedule) => (
            <Row key={schedule.name} schedule={schedule} />
          ))}
        </ul>
      </CardBody>
    </Card>
  );
}

import { Link } from "react-router-dom";
import type { FleetEvent } from "../api/types";
import { eventPlace, eventText } from "./eventText";
import { TextWithTimes } from "./TextWithTimes";
import { Time } from "./Time";

export function EventLine({ event }: { event: FleetEvent }) {
  const to = eventPlace(event);
  const words = <TextWithTimes text={eventText(event)} />;
  return (
    <li className="event-line" title={event.kind}>
      <span className="quiet">
        <Time at={event.at} style="relative" />
      </span>
      <span>{to ? <Link to={to}>{words}</Link> : words}</span>
    </li>
  );
}

import { Link } from "react-router-dom";
import type { FleetEvent } from "../api/types";
import { eventPlace, eventWords } from "./eventWords";
import { Time } from "./Time";

export function EventLine({ event }: { event: FleetEvent }) {
  const to = eventPlace(event);
  return (
    <li className="event-line">
      <span className="quiet">
        <Time at={event.at} style="relative" />
      </span>
      <code className="quiet">{event.kind}</code>
      <span>{to ? <Link to={to}>{eventWords(event)}</Link> : eventWords(event)}</span>
    </li>
  );
}

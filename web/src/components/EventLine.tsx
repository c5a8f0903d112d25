import { Link } from "react-router-dom";
import type { FleetEvent } from "../api/types";
import { eventPlace, eventWords } from "./eventWords";
import { Sentence } from "./Sentence";
import { Time } from "./Time";

export function EventLine({ event }: { event: FleetEvent }) {
  const to = eventPlace(event);
  const words = <Sentence text={eventWords(event)} />;
  return (
    <li className="event-line" title={event.kind}>
      <span className="quiet">
        <Time at={event.at} style="relative" />
      </span>
      <span>{to ? <Link to={to}>{words}</Link> : words}</span>
    </li>
  );
}

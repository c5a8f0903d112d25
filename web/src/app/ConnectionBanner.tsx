// Says on every page that the server is away, and how old what is shown is.
import { localClock, localTime, utcTime } from "../components/format";
import { useConnectionCheck } from "./useConnection";
import "./ConnectionBanner.css";

export function ConnectionBanner() {
  const { up, lastContact } = useConnectionCheck();
  const at = new Date(lastContact);
  const isToday = at.toDateString() === new Date().toDateString();
  return (
    <div role="status" aria-label="Connection" className="connection">
      {!up && (
        <div className="connection-lost">
          <strong>No connection to the server.</strong> Data as of{" "}
          <time dateTime={at.toISOString()} title={utcTime(at)}>
            {isToday ? localClock(at) : localTime(at)}
          </time>
          .
        </div>
      )}
    </div>
  );
}

// What waits for a maintenance window: "1,500 waiting for nights, opens 02:00".
import type { WindowWait } from "../api/types";
import { count, opensText, utcTime } from "./format";
import { useNow } from "./useNow";

const shownMost = 3;

export function WindowWaits({ waits }: { waits: WindowWait[] }) {
  const more = waits.length - shownMost;
  return (
    <span className="window-waits">
      {waits.slice(0, shownMost).map((wait, n) => (
        <span key={wait.schedule}>
          {n > 0 && "; "}
          {count(wait.systems)} waiting for <em>{wait.schedule}</em>, <Opening at={wait.opens} />
        </span>
      ))}
      {more > 0 && `; and ${count(more)} more ${more === 1 ? "schedule" : "schedules"}`}
    </span>
  );
}

// Of one system: "Waiting for nights, opens 02:00".
export function SystemWindowWait({ wait }: { wait: Omit<WindowWait, "systems"> }) {
  return (
    <span className="window-waits">
      Waiting for <em>{wait.schedule}</em>, <Opening at={wait.opens} />
    </span>
  );
}

function Opening({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <>no window planned</>;
  const opens = new Date(at);
  return (
    <time dateTime={at} title={utcTime(opens)}>
      opens {opensText(opens, now)}
    </time>
  );
}

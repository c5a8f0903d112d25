// A moment: in the user's zone, with UTC on hover.

import { localMinute, localSpan, localTime, relative, utcTime } from "./format";
import { useNow } from "./useNow";

interface Props {
  at: string | null | undefined; // ISO 8601
  // "relative": something that has happened; "upcoming": something planned, such as a window.
  style?: "full" | "minute" | "relative" | "upcoming";
}

export function Time({ at, style = "full" }: Props) {
  if (!at) return <span>–</span>;
  const moment = new Date(at);
  if (style === "relative" || style === "upcoming")
    return <RelativeTime moment={moment} isPast={style === "relative"} />;
  return (
    <time dateTime={at} title={utcTime(moment)}>
      {style === "minute" ? localMinute(moment) : localTime(moment)}
    </time>
  );
}

// A window: from when to when.
export function TimeSpan({ opens, closes }: { opens: string; closes: string | null }) {
  if (!closes) return <Time at={opens} />;
  const [from, to] = [new Date(opens), new Date(closes)];
  const [begins, ends] = localSpan(from, to);
  return (
    <span className="time-span">
      <time dateTime={opens} title={utcTime(from)}>
        {begins}
      </time>
      {" – "}
      <time dateTime={closes} title={utcTime(to)}>
        {ends}
      </time>
    </span>
  );
}

function RelativeTime({ moment, isPast }: { moment: Date; isPast: boolean }) {
  const now = useNow();
  // The clocks of browser and server differ: what has happened is never to come.
  const shown = isPast && moment > now ? now : moment;
  return (
    <time dateTime={moment.toISOString()} title={`${localTime(moment)}, ${utcTime(moment)}`}>
      {relative(shown, now)}
    </time>
  );
}

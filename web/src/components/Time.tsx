// A moment: in the user's zone, with UTC on hover.

import { localTime, relative, utcTime } from "./format";
import { useNow } from "./useNow";

interface Props {
  at: string | null | undefined; // ISO 8601
  style?: "full" | "relative";
}

export function Time({ at, style = "full" }: Props) {
  if (!at) return <span>–</span>;
  const moment = new Date(at);
  if (style === "relative") return <RelativeTime moment={moment} />;
  return (
    <time dateTime={at} title={utcTime(moment)}>
      {localTime(moment)}
    </time>
  );
}

function RelativeTime({ moment }: { moment: Date }) {
  const now = useNow();
  return (
    <time dateTime={moment.toISOString()} title={`${localTime(moment)}, ${utcTime(moment)}`}>
      {relative(moment, now)}
    </time>
  );
}

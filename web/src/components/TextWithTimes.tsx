// The server's words, with each moment in them as all others are: in the user's zone, UTC on hover.

import { parseTimes } from "./parseTimes";
import { Time } from "./Time";

export function TextWithTimes({ text }: { text: string }) {
  return (
    <>
      {parseTimes(text).map((each, n) =>
        each.at === undefined ? each.text : <Time key={n} at={each.at} />,
      )}
    </>
  );
}

// The server's words, with each moment in them as all others are: in the user's zone, UTC on hover.

import { parseTimes } from "./parseTimes";
import { Time } from "./Time";

export function TextWithTimes({ text }: { text: string }) {
  return (
    <>
      {parseTimes(text).map((part, n) =>
        part.at === undefined ? part.text : <Time key={n} at={part.at} />,
      )}
    </>
  );
}

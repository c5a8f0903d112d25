// The server's words, with each moment in them as all others are: in the user's zone, UTC on hover.
import { Time } from "./Time";
import { timesIn } from "./timesIn";

export function Sentence({ text }: { text: string }) {
  return (
    <>
      {timesIn(text).map((each, n) =>
        each.at === undefined ? each.text : <Time key={n} at={each.at} />,
      )}
    </>
  );
}

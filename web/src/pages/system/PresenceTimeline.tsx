// When it was attached, over a day, a week or a month.
import {
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  ToggleGroup,
  ToggleGroupItem,
} from "@patternfly/react-core";
import { useState } from "react";
import type { System } from "../../api/types";
import { localTime, plural, sentenceCase } from "../../components/format";
import { Time } from "../../components/Time";
import { barsOf, changesOf, type Line, sharesOf, shareWords, words } from "./presence";
import { usePresence } from "./usePresence";

const spans = [
  { value: "-1d", label: "Day" },
  { value: "-7d", label: "Week" },
  { value: "-30d", label: "Month" },
];
const slices = 240;
const changesShown = 5;

export function PresenceTimeline({ system }: { system: System }) {
  const [since, setSince] = useState("-7d");
  const history = usePresence(system, since);
  return (
    <Card className="system-second">
      <CardHeader
        actions={{
          actions: (
            <ToggleGroup aria-label="Time range" isCompact>
              {spans.map((span) => (
                <ToggleGroupItem
                  key={span.value}
                  text={span.label}
                  isSelected={since === span.value}
                  onChange={() => setSince(span.value)}
                />
              ))}
            </ToggleGroup>
          ),
          hasNoOffset: true,
        }}
      >
        <CardTitle component="h2">Presence</CardTitle>
      </CardHeader>
      <CardBody>
        {history.error && !history.data && <p>{history.error.message}</p>}
        {history.data && <Drawn {...history.data} />}
      </CardBody>
    </Card>
  );
}

function Drawn({ line, cut }: { line: Line; cut: boolean }) {
  const shares = sharesOf(line);
  const changes = changesOf(line, changesShown);
  const summary = shares.map(shareWords).join(", ");
  const left = line.items.length - 1 - changes.length;
  return (
    <>
      <svg
        className="presence"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`From ${localTime(new Date(line.since))} to ${localTime(new Date(line.until))}: ${summary || "no data"}`}
      >
        {barsOf(line, slices).map((bar) => (
          <rect
            key={bar.from}
            className={`presence-${bar.state}`}
            x={bar.from * 100}
            width={bar.width * 100}
            // What is not whole is lower, too: colour does not tell it alone.
            y={bar.state === "onboarded" ? 0 : 4}
            height={bar.state === "onboarded" ? 10 : 6}
          >
            <title>{words[bar.state]}</title>
          </rect>
        ))}
      </svg>
      <div className="presence-ends quiet">
        <Time at={line.since} style="minute" />
        <Time at={line.until} style="minute" />
      </div>
      {summary !== "" && <p className="presence-told">{sentenceCase(summary)}</p>}
      {changes.length === 0 ? (
        <p className="quiet">No changes in this period.</p>
      ) : (
        <ol className="life life-line presence-changes">
          {changes.map((change) => (
            <li key={`${change.at} ${change.text}`} className={`life-${kinds[change.state]}`}>
              <Time at={change.at} /> <span>{change.text}</span>
            </li>
          ))}
        </ol>
      )}
      {left > 0 && <p className="quiet">{plural(left, "earlier change")}</p>}
      {cut && <p className="quiet">Too many changes to show; the most recent part is missing.</p>}
    </>
  );
}

const kinds = { onboarded: "good", orphan: "warn", new: "info", deleted: "bad", unknown: "idle" };

// When it was attached, over a day, a week or a month.
import {
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  ToggleGroup,
  ToggleGroupItem,
} from "@patternfly/react-core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client";
import type { System } from "../../api/types";
import { localTime } from "../../components/format";
import { Time } from "../../components/Time";
import {
  barsOf,
  changesOf,
  type Line,
  type Segment,
  sharesOf,
  shareWords,
  words,
} from "./presence";

interface HistoryPage extends Line {
  next: string | null;
}

const spans = [
  { value: "-1d", label: "Day" },
  { value: "-7d", label: "Week" },
  { value: "-30d", label: "Month" },
];
const slices = 240;
const pagesMost = 5; // of a thousand segments
const changesShown = 5;

// `cut`: it came and went more often than is read; what is told ends before now.
async function read(system: System, since: string, signal: AbortSignal) {
  const items: Segment[] = [];
  let after = "";
  let answer: HistoryPage;
  let page = 0;
  do {
    answer = await api.get<HistoryPage>(`/api/v1/systems/${system.number}/history`, {
      query: { since, limit: 1000, after },
      signal,
    });
    items.push(...answer.items);
    after = answer.next ?? "";
    page += 1;
  } while (after !== "" && page < pagesMost);
  return { line: { since: answer.since, until: answer.until, items }, cut: after !== "" };
}

export function PresenceTimeline({ system }: { system: System }) {
  const [since, setSince] = useState("-7d");
  const history = useQuery({
    queryKey: ["systems", "history", system.number, since],
    queryFn: ({ signal }) => read(system, since, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000, // as often as nodes write it
  });
  return (
    <Card className="system-second">
      <CardHeader
        actions={{
          actions: (
            <ToggleGroup aria-label="How far back" isCompact>
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
        aria-label={`From ${localTime(new Date(line.since))} to ${localTime(new Date(line.until))}: ${summary || "nothing is known"}`}
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
      {summary !== "" && <p className="presence-told">{summary}</p>}
      {changes.length === 0 ? (
        <p className="quiet">Nothing changed in this time.</p>
      ) : (
        <ol className="life life-line presence-changes">
          {changes.map((change) => (
            <li key={`${change.at} ${change.text}`} className={`life-${kinds[change.state]}`}>
              <Time at={change.at} /> <span>{change.text}</span>
            </li>
          ))}
        </ol>
      )}
      {left > 0 && <p className="quiet">and {left} changes before</p>}
      {cut && (
        <p className="quiet">
          It came and went too often to be read whole: the last part is missing.
        </p>
      )}
    </>
  );
}

const kinds = { onboarded: "good", orphan: "warn", new: "info", deleted: "bad", unknown: "idle" };

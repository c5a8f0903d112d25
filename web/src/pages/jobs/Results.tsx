// What came back: equal outcomes together, similar failures together, failures first.
import { Alert, Card, CardBody, ExpandableSection, Label } from "@patternfly/react-core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router-dom";
import { api, part } from "../../api/client";
import { count, percent, plural } from "../../components/format";
import { StateLabel } from "../../components/StateLabel";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import { groupOutcomes, type OutcomeGroup, summaryLine } from "./groupOutcomes";
import { hasEnded } from "./jobText";
import { OutputText } from "./OutputText";
import type { FullJob, Outcome, Outcomes } from "./types";

const outcomesShown = 20;

export function Results({ job }: { job: FullJob }) {
  const results = useQuery({
    queryKey: ["jobs", job.id, "results"],
    queryFn: ({ signal }) => api.get<Outcomes>(`/api/v1/jobs/${part(job.id)}/results`, { signal }),
    placeholderData: keepPreviousData,
  });
  if (results.error && !results.data)
    return <ErrorView error={results.error} retry={() => void results.refetch()} />;
  if (!results.data) return <LoadingView what="results" />;
  const kinds = groupOutcomes(results.data.items);
  if (kinds.length === 0)
    return (
      <EmptyView title={hasEnded(job) ? "No results" : "No results yet"}>
        {hasEnded(job) ? (
          <TextWithTimes text={job.reason} />
        ) : (
          <>
            Results appear here as tasks finish. The{" "}
            <Link to={`/jobs/${job.id}?tab=systems`}>Systems</Link> tab shows why a task is waiting.
          </>
        )}
      </EmptyView>
    );
  return (
    <div className="kinds">
      {kinds.map((group) => (
        <KindCard key={group.key} kind={group} job={job} total={results.data.total} />
      ))}
      {results.data.beyond > 0 && (
        <Alert
          isInline
          variant="info"
          component="h3"
          title={`${plural(results.data.beyond, "more system")} with other results`}
        >
          Too many different results to show. See the Systems tab.
        </Alert>
      )}
    </div>
  );
}

function KindCard({ kind, job, total }: { kind: OutcomeGroup; job: FullJob; total: number }) {
  const [open, setOpen] = useState(kind.state === "failed" && kind.outcomes.length === 1);
  const singleOutcome = kind.outcomes.length === 1 ? kind.outcomes[0] : undefined;
  return (
    <Card isCompact className={`kind kind-${kind.state}`}>
      <CardBody>
        <div className="kind-head">
          <strong className="kind-count">{count(kind.count)}</strong>
          <StateLabel state={kind.state} />
          {kind.exit_code !== 0 && <Label isCompact>Exit code {kind.exit_code}</Label>}
          <span className="quiet">{percent(kind.count / Math.max(1, total))} of results</span>
          {!singleOutcome && (
            <Label isCompact color="purple">
              {plural(kind.outcomes.length, "similar result")}
            </Label>
          )}
        </div>
        <code className="kind-line">{kind.title}</code>
        <ExpandableSection
          toggleText={
            open ? "Hide results" : singleOutcome ? "Show output and systems" : "Show each result"
          }
          isExpanded={open}
          onToggle={(_, is) => setOpen(is)}
        >
          {open &&
            kind.outcomes
              .slice(0, outcomesShown)
              .map((outcome, n) => (
                <OutcomeView
                  key={outcome.digest ?? n}
                  outcome={outcome}
                  job={job}
                  titled={!singleOutcome}
                />
              ))}
          {kind.outcomes.length > outcomesShown && (
            <p className="quiet">
              {plural(kind.outcomes.length - outcomesShown, "more similar result")}
            </p>
          )}
        </ExpandableSection>
      </CardBody>
    </Card>
  );
}

interface OutcomeProps {
  outcome: Outcome;
  job: FullJob;
  titled: boolean;
}

function OutcomeView({ outcome, job, titled }: OutcomeProps) {
  const more = outcome.count - outcome.examples.length;
  return (
    <div className="outcome">
      {titled && (
        <div className="kind-head">
          <strong>{count(outcome.count)}</strong>
          <code>{summaryLine(outcome)}</code>
        </div>
      )}
      <OutputText
        output={outcome.output}
        job={job.id}
        digest={outcome.digest}
        size={outcome.payload_size}
      />
      <p>
        On{" "}
        {outcome.examples.map((example, n) => (
          <span key={example.system}>
            {n > 0 && ", "}
            <Link to={`/jobs/${job.id}/${example.system}`}>
              {example.name ?? `#${example.system}`}
            </Link>
          </span>
        ))}
        {more > 0 && (
          <>
            {" and "}
            <Link to={`/jobs/${job.id}?tab=systems&state=${outcome.state}`}>
              {count(more)} more
            </Link>
          </>
        )}
      </p>
    </div>
  );
}

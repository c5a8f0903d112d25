// What became of a system over time, and who did something about it.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { FleetEvent, Page, System } from "../../api/types";
import { useMay } from "../../app/session";
import { Time } from "../../components/Time";
import { type Deed, deedsAbout, lifeOf } from "./life";

const deedsLooked = 1000;

function useEvents(system: System) {
  return useQuery({
    queryKey: ["events", "system", system.fingerprint],
    queryFn: ({ signal }) =>
      api.get<{ items: FleetEvent[] }>("/api/v1/events", {
        query: { system: system.fingerprint, kind: "system.*", limit: 1000 },
        signal,
      }),
    enabled: useMay("events.read") && system.number !== null,
  });
}

function Trail({ system }: { system: System }) {
  const known = useQuery({
    queryKey: ["audit", "last"],
    queryFn: ({ signal }) =>
      api.get<Page<Deed>>("/api/v1/audit", { query: { limit: deedsLooked }, signal }),
    staleTime: 10_000,
  });
  if (!known.data) return null;
  const deeds = deedsAbout(system, known.data.items);
  return (
    <Card className="system-second">
      <CardTitle component="h2">Audit</CardTitle>
      <CardBody>
        <p className="quiet">Of the last {deedsLooked} deeds, those that name this system.</p>
        {deeds.length === 0 && <p>None.</p>}
        <ol className="life">
          {deeds.map((each) => (
            <li key={each.id}>
              <Time at={each.at} /> <strong>{each.who}</strong> <code>{each.what}</code>{" "}
              {each.outcome} <span className="quiet">{each.detail}</span>
            </li>
          ))}
        </ol>
      </CardBody>
    </Card>
  );
}

export function History({ system }: { system: System }) {
  const events = useEvents(system);
  const mayAudit = useMay("audit.read");
  const moments = lifeOf(system, events.data?.items ?? []);
  return (
    <>
      <Card className="system-grid">
        <CardTitle component="h2">Life</CardTitle>
        <CardBody>
          <ol className="life life-line">
            {moments.map((each) => (
              <li key={`${each.at} ${each.what}`} className={`life-${each.kind}`}>
                <Time at={each.at} /> <span>{each.what}</span>
              </li>
            ))}
          </ol>
        </CardBody>
      </Card>
      {mayAudit && <Trail system={system} />}
    </>
  );
}

// What became of a system over time, and who did something about it.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { newestEvents } from "../../api/newest";
import type { Page, System } from "../../api/types";
import { useMay } from "../../app/session";
import { Pager } from "../../components/Pager";
import { Time } from "../../components/Time";
import { usePagedList } from "../../components/usePagedList";
import { type AuditEntry, milestones } from "./milestones";
import { attachedSince } from "./presence";
import { usePresence } from "./usePresence";

const eventsLooked = 200;
const deedsShown = 25;

function useEvents(system: System) {
  return useQuery({
    queryKey: ["events", "system", system.fingerprint],
    queryFn: ({ signal }) =>
      newestEvents({ system: system.fingerprint, kind: "system.*" }, eventsLooked, signal),
    enabled: useMay("events.read") && system.number !== null,
  });
}

function Trail({ system }: { system: System }) {
  const entries = usePagedList<Page<AuditEntry>>({
    key: ["audit", "system", system.fingerprint],
    fetch: (after, signal) =>
      api.get<Page<AuditEntry>>("/api/v1/audit", {
        query: { system: system.fingerprint, limit: deedsShown, after },
        signal,
      }),
  });
  if (!entries.data) return entries.error ? <p>{entries.error.message}</p> : null;
  return (
    <Card className="system-second">
      <CardTitle component="h2">Audit</CardTitle>
      <CardBody>
        <p className="quiet">
          Changes to this system only. Changes to several systems at once are listed in the audit
          log under their query.
        </p>
        {entries.data.items.length === 0 && <p>No audit entries.</p>}
        <ol className="life">
          {entries.data.items.map((entry) => (
            <li key={entry.id}>
              <Time at={entry.at} /> <strong>{entry.who}</strong> <code>{entry.what}</code>{" "}
              {entry.outcome} <span className="quiet">{entry.detail}</span>
            </li>
          ))}
        </ol>
        <Pager turning={entries.turning} label="Audit pages" />
      </CardBody>
    </Card>
  );
}

export function History({ system }: { system: System }) {
  const events = useEvents(system);
  const mayAudit = useMay("audit.read");
  const presence = usePresence(system, "");
  const attached = presence.data && attachedSince(presence.data.line);
  const moments = milestones(system, events.data ?? [], attached);
  return (
    <>
      <Card className="system-grid">
        <CardTitle component="h2">Milestones</CardTitle>
        <CardBody>
          <ol className="life life-line">
            {moments.map((milestone) => (
              <li key={`${milestone.at} ${milestone.text}`} className={`life-${milestone.kind}`}>
                <Time at={milestone.at} /> <span>{milestone.text}</span>
              </li>
            ))}
          </ol>
        </CardBody>
      </Card>
      {mayAudit && <Trail system={system} />}
    </>
  );
}

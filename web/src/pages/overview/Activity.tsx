// What happened last, as it happens.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { newestEvents } from "../../api/newest";
import type { FleetEvent } from "../../api/types";
import { useEventListener } from "../../app/eventStream";
import { EventLine } from "../../components/EventLine";

const shownMost = 12;

export function Activity({ zone }: { zone: string }) {
  const [fresh, setFresh] = useState<FleetEvent[]>([]);
  useEventListener((event) => setFresh((all) => [event, ...all].slice(0, shownMost)));
  const before = useQuery({
    queryKey: ["activity"],
    queryFn: ({ signal }) => newestEvents({}, shownMost, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: "always", // what happened while one was elsewhere was told to nobody here
  });
  const freshIds = new Set(fresh.map((event) => event.id));
  const visible = [
    ...fresh,
    ...(before.data ?? []).filter((event) => !freshIds.has(event.id)),
  ].slice(0, shownMost);
  return (
    <Card>
      <CardTitle component="h2">
        Activity
        {zone !== "" && <span className="quiet"> in all zones</span>}
      </CardTitle>
      <CardBody>
        {before.error && fresh.length === 0 && <p>{before.error.message}</p>}
        {before.data && visible.length === 0 ? (
          <p className="quiet">No activity yet.</p>
        ) : (
          <ol className="event-lines">
            {visible.map((event) => (
              <EventLine key={event.id} event={event} />
            ))}
          </ol>
        )}
      </CardBody>
    </Card>
  );
}

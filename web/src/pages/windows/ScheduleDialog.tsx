// The next windows of a maintenance schedule, and its systems.
import { Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import { CopyCli } from "../../components/CopyCli";
import { plural, span } from "../../components/format";
import { ErrorView, LoadingView } from "../../components/states";
import { TimeSpan } from "../../components/Time";
import type { MaintenanceSchedule } from "./types";

interface Members {
  items: { number: number; name: string | null }[];
  systems: number;
}

const membersShown = 20;

export function ScheduleDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const scheduleQuery = useQuery({
    queryKey: ["windows", "schedule", name],
    queryFn: ({ signal }) =>
      api.get<MaintenanceSchedule>(`/api/v1/windows/schedules/${part(name)}`, { signal }),
  });
  const members = useQuery({
    queryKey: ["windows", "systems", name],
    queryFn: ({ signal }) =>
      api.get<Members>("/api/v1/windows/systems", { query: { schedule: name }, signal }),
  });
  const next = scheduleQuery.data?.next ?? [];
  return (
    <Modal isOpen onClose={onClose} variant="medium" aria-labelledby="schedule-title">
      <ModalHeader title={name} labelId="schedule-title" />
      <ModalBody>
        {scheduleQuery.error && (
          <ErrorView error={scheduleQuery.error} retry={() => void scheduleQuery.refetch()} />
        )}
        {scheduleQuery.isLoading && <LoadingView what="windows" />}
        {scheduleQuery.data && (
          <>
            <h2>{next.length === 0 ? "No upcoming windows" : "Next windows"}</h2>
            <ul className="next-windows">
              {next.map((window) => (
                <li key={window.opens}>
                  <TimeSpan opens={window.opens} closes={window.closes} />{" "}
                  <span className="quiet">
                    {span((Date.parse(window.closes) - Date.parse(window.opens)) / 1000)}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
        {members.data && (
          <>
            <h2>{plural(members.data.systems, "system")}</h2>
            <p>
              {members.data.items.slice(0, membersShown).map((member, n) => (
                <span key={member.number}>
                  {n > 0 && ", "}
                  <Link to={`/systems/${member.number}`}>{member.name ?? `#${member.number}`}</Link>
                </span>
              ))}
              {members.data.systems > membersShown && " …"}
            </p>
          </>
        )}
      </ModalBody>
      <ModalFooter>
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
        <CopyCli command={commandLine("muster", "windows", "next", name)} />
      </ModalFooter>
    </Modal>
  );
}

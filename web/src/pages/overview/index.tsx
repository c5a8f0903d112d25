// The fleet in one look.
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { jobRunning } from "../../api/names";
import { newestEvents } from "../../api/newest";
import type { Job, Page, Schedule } from "../../api/types";
import { useMay } from "../../app/session";
import { useZone } from "../../app/zone";
import { PageFrame } from "../../components/PageFrame";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { useStats } from "../../components/useStats";
import { Activity } from "./Activity";
import { AlertsCard } from "./AlertsCard";
import { alertKinds, alertsOf, jobEnds } from "./alerts";
import { CapacityCard } from "./CapacityCard";
import { Jobs } from "./Jobs";
import { Systems } from "./Systems";
import { Windows } from "./Windows";
import "./overview.css";

const jobsLooked = 50;
const troublesLooked = 200;
const endsLooked = 1000;
const every = 10_000;

// The newest ones of these stages, "" being all, for systems of a zone.
function useJobs(stage: string, zone: string) {
  return useQuery({
    queryKey: ["jobs", "newest", stage, zone],
    queryFn: ({ signal }) =>
      api.get<Page<Job>>("/api/v1/jobs", { query: { stage, zone, limit: jobsLooked }, signal }),
    enabled: useMay("jobs.read"),
    refetchInterval: every,
  });
}

function useSchedules() {
  return useQuery({
    queryKey: ["windows", "list"],
    queryFn: ({ signal }) => api.get<Page<Schedule>>("/api/v1/windows", { signal }),
    enabled: useMay("fleet.read"),
    refetchInterval: 60_000,
  });
}

function useTroubles() {
  return useQuery({
    queryKey: ["events", "troubles"],
    queryFn: ({ signal }) =>
      newestEvents({ since: "-24h", kind: alertKinds }, troublesLooked, signal),
    enabled: useMay("events.read"),
  });
}

// Also of jobs that are not among the newest any more. Those are known from the list, at once.
function useEnds() {
  return useQuery({
    queryKey: ["events", "ends"],
    queryFn: ({ signal }) => newestEvents({ since: "-24h", kind: jobEnds }, endsLooked, signal),
    enabled: useMay("events.read"),
    refetchInterval: 60_000,
  });
}

const day = 24 * 3600 * 1000;

// Each once, as the first of the lists that has it tells it.
function together(...lists: (Page<Job> | undefined)[]): Job[] {
  const jobs = new Map<string, Job>();
  for (const job of lists.flatMap((list) => list?.items ?? []))
    if (!jobs.has(job.id)) jobs.set(job.id, job);
  return [...jobs.values()];
}

export default function Overview() {
  const { zone } = useZone();
  const stats = useStats();
  const jobs = useJobs("", zone);
  // However old they are: a job of last week may still wait for its windows.
  const running = useJobs(jobRunning, zone);
  const schedules = useSchedules();
  const troubles = useTroubles();
  const halted = useJobs("halted", zone);
  const ends = useEnds();
  const mayFollow = useMay("events.read");
  const mayLook = useMay("topology.read");
  if (!mayLook)
    return (
      <PageFrame title="Overview">
        <EmptyView title="Access denied">
          The overview requires the right topology.read. Choose another page in the navigation.
        </EmptyView>
      </PageFrame>
    );
  if (stats.error && !stats.data)
    return (
      <PageFrame title="Overview">
        <ErrorView error={stats.error} retry={() => void stats.refetch()} />
      </PageFrame>
    );
  if (!stats.data)
    return (
      <PageFrame title="Overview">
        <LoadingView what="the cluster" />
      </PageFrame>
    );
  const since = new Date(Date.now() - day).toISOString();
  const alerts = alertsOf(
    {
      stats: stats.data,
      jobs: together(running.data, halted.data, jobs.data).filter((job) => job.changed >= since),
      ends: ends.data,
      events: troubles.data,
    },
    zone,
  );
  return (
    <PageFrame
      title="Overview"
      subtitle={
        <>
          As of <Time at={stats.data.at} />
        </>
      }
    >
      <div className="overview">
        <div className="overview-column">
          <div className="overview-first">
            <Systems stats={stats.data} zone={zone} />
          </div>
          <Jobs
            recent={jobs.data?.items}
            running={running.data?.items}
            more={(running.data?.next ?? null) !== null}
            zone={zone}
          />
          <CapacityCard stats={stats.data} zone={zone} />
        </div>
        <div className="overview-column">
          <div className="overview-second">
            <AlertsCard alerts={alerts} />
          </div>
          <Windows schedules={schedules.data?.items} zone={zone} />
          {mayFollow && <Activity zone={zone} />}
        </div>
      </div>
    </PageFrame>
  );
}

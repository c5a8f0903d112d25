// The fleet in one look.
import { Grid, GridItem } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { jobRunning } from "../../api/names";
import { newestEvents } from "../../api/newest";
import type { Job, Page, Schedule } from "../../api/types";
import { useMay } from "../../app/session";
import { useZone } from "../../app/zone";
import { PageFrame } from "../../components/PageFrame";
import { EmptyNote, Loading, ProblemState } from "../../components/states";
import { Time } from "../../components/Time";
import { useStats } from "../../components/useStats";
import { Activity } from "./Activity";
import { Attention } from "./Attention";
import { attentionKinds, concernsOf } from "./concerns";
import { Jobs } from "./Jobs";
import { Places } from "./Places";
import { Systems } from "./Systems";
import { Windows } from "./Windows";
import "./overview.css";

const jobsLooked = 50;
const troublesLooked = 200;
const every = 10_000;

function useRecentJobs() {
  return useQuery({
    queryKey: ["jobs", "recent"],
    queryFn: ({ signal }) =>
      api.get<Page<Job>>("/api/v1/jobs", { query: { limit: jobsLooked }, signal }),
    enabled: useMay("jobs.read"),
    refetchInterval: every,
  });
}

// However old they are: a job of last week may still wait for its windows.
function useRunningJobs() {
  return useQuery({
    queryKey: ["jobs", "running"],
    queryFn: ({ signal }) =>
      api.get<Page<Job>>("/api/v1/jobs", {
        query: { stage: jobRunning, limit: jobsLooked },
        signal,
      }),
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
      newestEvents({ since: "-24h", kind: attentionKinds }, troublesLooked, signal),
    enabled: useMay("events.read"),
  });
}

const day = 24 * 3600 * 1000;

// Each once; what runs is known from the younger answer.
function withRunning(recent: Job[], running: Job[]): Job[] {
  const known = new Set(running.map((each) => each.id));
  return [...running, ...recent.filter((each) => !known.has(each.id))];
}

export default function Overview() {
  const { zone } = useZone();
  const stats = useStats();
  const jobs = useRecentJobs();
  const running = useRunningJobs();
  const schedules = useSchedules();
  const troubles = useTroubles();
  const mayFollow = useMay("events.read");
  const mayLook = useMay("topology.read");
  if (!mayLook)
    return (
      <PageFrame title="Overview">
        <EmptyNote title="You may not see the cluster as a whole">
          What you may do is in the navigation. The overview needs the right topology.read.
        </EmptyNote>
      </PageFrame>
    );
  if (stats.error && !stats.data)
    return (
      <PageFrame title="Overview">
        <ProblemState error={stats.error} retry={() => void stats.refetch()} />
      </PageFrame>
    );
  if (!stats.data)
    return (
      <PageFrame title="Overview">
        <Loading what="the cluster" />
      </PageFrame>
    );
  const since = new Date(Date.now() - day).toISOString();
  const concerns = concernsOf({
    stats: stats.data,
    jobs: withRunning(jobs.data?.items ?? [], running.data?.items ?? []).filter(
      (each) => each.changed >= since,
    ),
    events: troubles.data,
  });
  return (
    <PageFrame
      title="Overview"
      subtitle={
        <>
          as of <Time at={stats.data.at} />
        </>
      }
    >
      <Grid hasGutter className="overview">
        <GridItem lg={7}>
          <Systems stats={stats.data} zone={zone} />
        </GridItem>
        <GridItem lg={5} lgRowSpan={2}>
          <Attention concerns={concerns} />
        </GridItem>
        <GridItem lg={7}>
          <Jobs
            recent={jobs.data?.items}
            running={running.data?.items}
            more={(running.data?.next ?? null) !== null}
          />
        </GridItem>
        <GridItem lg={7}>
          <Places stats={stats.data} zone={zone} />
        </GridItem>
        <GridItem lg={5}>
          <Windows schedules={schedules.data?.items} />
        </GridItem>
        {mayFollow && (
          <GridItem span={12}>
            <Activity />
          </GridItem>
        )}
      </Grid>
    </PageFrame>
  );
}

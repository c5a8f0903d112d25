// A cluster in which every page has something to show.
import { daily, hoursFromNow } from "./calendar";
import { eventually, type Server } from "./server";

export interface FleetFixture {
  system: string;
  number: number;
  failed: string; // a job
  running: string; // another one
  revision: number;
}

interface Job {
  id: string;
  stage: string;
}

async function fillPool(server: Server): Promise<void> {
  await server.swarm(3);
  const decide = async (name: string, verb: string) => {
    const { fingerprint } = await server.get<{ fingerprint: string }>(`/api/v1/keys/${name}`);
    await server.post(`/api/v1/keys/${verb}`, { fingerprints: [fingerprint] });
  };
  await decide("swarm-1", "reject");
  await decide("swarm-2", "delete");
  await server.post("/api/v1/accept-rules", {
    name: "caches",
    zone: "default",
    names: ["cache*"],
    tags: ["cache"],
  });
}

async function fillWindows(server: Server): Promise<void> {
  await server.post("/api/v1/windows/calendars", {
    label: "soon",
    text: daily("Soon", hoursFromNow(3), 2),
  });
  await server.post("/api/v1/windows/schedules", {
    name: "soon",
    type: "single",
    calendar: "soon",
  });
  await server.post("/api/v1/windows/schedules/soon/assign", { query: "web2" });
}

async function fillJobs(server: Server): Promise<{ failed: string; running: string }> {
  const run = (cmd: string, more: object = {}) =>
    server.post<Job>("/api/v1/jobs", {
      query: "web1",
      function: "cmd.run",
      arguments: { cmd },
      ...more,
    });
  const failed = await run("echo out; echo no space left >&2; exit 3");
  await eventually("it has failed", async () => {
    return (await server.get<Job>(`/api/v1/jobs/${failed.id}`)).stage === "done";
  });
  await run("uptime", { query: "web2", windows: "respect" });
  const running = await run("for n in $(seq 3000); do echo line $n; sleep 1; done");
  await server.post("/api/v1/schedules", {
    name: "nightly",
    cron: "30 2 * * *",
    zone: "Europe/Berlin",
    query: "tag:web",
    function: "cmd.run",
    arguments: { cmd: "uptime" },
  });
  return { failed: failed.id, running: running.id };
}

async function fillRevisions(server: Server): Promise<number> {
  const edit = await server.post<{ id: string }>("/api/v1/edits", { note: "for the night" });
  await server.post(
    "/api/v1/roles",
    { name: "night-shift", rights: ["jobs.read"], about: "who is awake" },
    { "Muster-Edit": edit.id },
  );
  const done = await server.post<{ revision: { number: number } }>(
    `/api/v1/edits/${edit.id}/apply`,
    { note: "for the night" },
  );
  return done.revision.number;
}

// Needs the real systems web1 and web2, with the tag web.
export async function fill(server: Server): Promise<FleetFixture> {
  // With several zones one can be chosen in the masthead.
  await server.post("/api/v1/zones", { name: "berlin-west", description: "The old hall" });
  await fillPool(server);
  await fillWindows(server);
  await server.post("/api/v1/groups", {
    name: "webs",
    expression: "tag:web",
    description: "Everything that is web",
  });
  await server.post("/api/v1/webhooks", {
    name: "chat",
    url: "https://chat.example.org/hook",
    kinds: ["job.*"],
  });
  const revision = await fillRevisions(server);
  const { number } = await server.get<{ number: number }>("/api/v1/keys/web1");
  return { system: "web1", number, revision, ...(await fillJobs(server)) };
}

// The pictures of docs/images: the pages that the tutorial shows, on a real cluster with real agents.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { daily } from "../e2e/support/calendar";
import { eventually } from "../e2e/support/server";
import { enter, expect, test } from "../e2e/support/test";

const images = fileURLToPath(new URL("../../docs/images", import.meta.url));

interface Job {
  id: string;
  stage: string;
}

test.use({ viewport: { width: 1100, height: 640 } });
test.setTimeout(300_000);

test("the pages of the tutorial", async ({ page, server }) => {
  await server.fleet(["web1", "web2", "web3"], { tags: ["web"] });
  await server.fleet(["db1", "db2"], { tags: ["db"] });
  await server.post("/api/v1/windows/calendars", {
    label: "nights",
    text: daily("nights", new Date("2026-01-01T01:00:00Z"), 4),
  });
  await server.post("/api/v1/windows/schedules", {
    name: "nights",
    type: "single",
    calendar: "nights",
  });
  await server.post("/api/v1/windows/schedules/nights/assign", { query: "tag:db" });
  const run = (query: string, cmd: string, more: object = {}) =>
    server.post<Job>("/api/v1/jobs", { query, function: "cmd.run", arguments: { cmd }, ...more });
  const uptime = await run("*", "uname -s", { windows: "override", note: "first look" });
  const upgrade = await run("tag:web", "test $(hostname) = none || echo 12 packages upgraded");
  for (const job of [uptime, upgrade])
    await eventually("the job has ended", async () => {
      return (await server.get<Job>(`/api/v1/jobs/${job.id}`)).stage === "done";
    });
  await run("tag:db", "apt-get -y upgrade", { windows: "respect", note: "patch night" });

  await enter(page, server);
  const shoot = async (path: string, text: string | RegExp, name: string) => {
    await page.goto(`${server.url}/ui${path}`);
    await expect(page.getByText(text).first()).toBeVisible();
    await page.waitForTimeout(1_000); // what is loaded after the page itself; pages have a stream open
    await page.screenshot({ path: join(images, `${name}.png`), animations: "disabled" });
  };
  await shoot("/overview", "Needs attention", "overview");
  await shoot("/search?q=*", "web1", "systems");
  await shoot("/jobs", "apt-get -y upgrade", "jobs");
  await shoot(`/jobs/${uptime.id}`, "Linux", "results");
  await shoot(`/jobs/${upgrade.id}?tab=systems`, "web1", "job");
  await shoot("/windows", "Today", "maintenance");
});

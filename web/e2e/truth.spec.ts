// What the UI says is true: about time, about what is selected, about what waits.
import type { Locator, Page } from "@playwright/test";
import { daily, hoursFromNow } from "./support/calendar";
import { withOwnServer } from "./support/own";
import { eventually } from "./support/server";
import { enter, expect, expectAccessible, takePicture } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

interface Job {
  id: string;
}

function actions(page: Page): Locator {
  return page.getByRole("button", { name: "Actions", exact: true });
}

test("actions on systems are disabled until systems are selected", async ({ page, server }) => {
  test.slow();
  await server.fleet(["web1", "web2"], { tags: ["web"] });
  await enter(page, server, "/search?q=tag:web");
  await expect(page.getByText("2 systems", { exact: true })).toBeVisible();
  await expect(page.getByText("No systems selected")).toBeVisible();
  await expect(actions(page)).toBeDisabled();
  await expect(page.getByRole("button", { name: "Run…" })).toBeDisabled();

  await page.getByRole("checkbox", { name: "Select web1" }).check();
  await expect(page.getByText("1 system selected")).toBeVisible();
  await expect(actions(page)).toBeEnabled();
  await page.getByRole("checkbox", { name: "Select web1" }).uncheck();
  await expect(actions(page)).toBeDisabled();

  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await expect(page.getByText("All 2 matching selected")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "Select web2" })).toBeChecked();
  await takePicture(page, "truth-selected");
  await expectAccessible(page, "all selected");
  await actions(page).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await expect(page.getByRole("dialog", { name: /Delete 2 systems/ })).toBeVisible();
  await page.keyboard.press("Escape");

  // All that match one query are not all that match another one.
  await page.getByRole("combobox", { name: "Query" }).fill("web1");
  await expect(page.getByText("1 system", { exact: true })).toBeVisible();
  await expect(page.getByText("No systems selected")).toBeVisible();
  await expect(actions(page)).toBeDisabled();
});

test("actions on keys are disabled until keys are selected", async ({ page, server }) => {
  await server.swarm(3);
  await enter(page, server, "/onboarding");
  await expect(page.getByRole("button", { name: "swarm-2" })).toBeVisible();
  const decisions = ["Accept…", "Reject…", "Ban…"].map((name) =>
    page.getByRole("button", { name }),
  );
  for (const decision of decisions) await expect(decision).toBeDisabled();

  await page.getByRole("button", { name: "Select all 3 matching" }).click();
  await expect(page.getByText("All 3 matching selected")).toBeVisible();
  for (const decision of decisions) await expect(decision).toBeEnabled();
  await page.getByRole("button", { name: "Ban…" }).click();
  await expect(page.getByRole("dialog", { name: /Ban 3 systems/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear selection" }).click();
  for (const decision of decisions) await expect(decision).toBeDisabled();
});

// When a job was created, as the list shows it at its first sight.
async function createdCell(page: Page, note: string): Promise<string> {
  const row = page.getByRole("row").filter({ hasText: note });
  await row.waitFor();
  return row.locator("time").innerText();
}

test("events during idle time are shown in the past", async ({ page, server }) => {
  // No time is shown there, so that nothing moves the clock.
  await enter(page, server, "/groups");
  await expect(page.getByRole("heading", { level: 1, name: "Groups" })).toBeVisible();
  await page.waitForTimeout(20_000);
  await server.post("/api/v1/jobs", { query: "web1", function: "test.ping", note: "just now" });
  await page.getByRole("link", { name: "Jobs", exact: true }).click();

  expect(await createdCell(page, "just now")).toMatch(/^(now|\d+ s ago)$/);
});

test("relative times are correct after a throttled tab returns", async ({ page, server }) => {
  // As a browser does it to a tab that is not seen: time goes on, timers do not fire.
  const begin = Date.now() - 600_000;
  await page.clock.install({ time: begin });
  await enter(page, server, "/jobs");
  await expect(page.getByText("just now")).toBeVisible();
  await page.clock.setSystemTime(Date.now() + 7_200_000);
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));

  const row = page.getByRole("row").filter({ hasText: "just now" });
  await expect(row.locator("time")).toHaveText(/^[12] h( \d+ min)? ago$/, { timeout: 3_000 });
});

test("a slow browser clock shows no past event in the future", async ({ page, server }) => {
  await page.clock.install({ time: Date.now() - 600_000 });
  await enter(page, server, "/overview");
  const lines = page.locator(".event-lines time");
  await expect(lines.first()).toBeVisible();
  for (const text of await lines.allInnerTexts()) expect(text).toMatch(/^now$| ago$/);
  await page.goto(`${server.url}/ui/jobs`);
  expect(await createdCell(page, "just now")).toMatch(/^now$| ago$/);
});

test("the attach time of a system does not move with reports of its node", async ({
  page,
  server,
}) => {
  test.slow();
  await enter(page, server, "/systems/web1?tab=history");
  const line = page.locator(".life-line li").filter({ hasText: /^.*attached to/i });
  await expect(line).toBeVisible({ timeout: 60_000 });
  const since = await line.locator("time").getAttribute("datetime");
  const seen = () => server.get<{ last_seen: string }>("/api/v1/systems/web1");
  const before = (await seen()).last_seen;
  await eventually(
    "its node has reported again",
    async () => (await seen()).last_seen !== before,
    60_000,
  );
  await page.waitForTimeout(8_000); // the page reads the system every five seconds

  expect(await line.locator("time").getAttribute("datetime")).toBe(since);
  await takePicture(page, "truth-attached");
});

test("a job that waits for a window is not shown as running", async ({ page, server }) => {
  await server.post("/api/v1/windows/calendars", {
    label: "nights",
    text: daily("Nights", hoursFromNow(3), 2),
  });
  await server.post("/api/v1/windows/schedules", {
    name: "nights",
    type: "single",
    calendar: "nights",
  });
  await server.post("/api/v1/windows/schedules/nights/assign", { query: "tag:web" });
  const job = await server.post<Job>("/api/v1/jobs", {
    query: "tag:web",
    function: "cmd.run",
    arguments: { cmd: "uptime" },
    windows: "respect",
    note: "tonight",
  });
  const waits = /2 waiting for nights, opens (\w{3} \d+ \w{3}, )?\d\d:\d\d/;
  await enter(page, server, `/jobs/${job.id}`);
  await expect(page.getByText("Waiting for window", { exact: true })).toBeVisible();
  await expect(page.getByText(waits)).toBeVisible();
  await expect(page.getByText(/ left$/)).toHaveCount(0);
  await takePicture(page, "truth-waiting-job");

  await page.goto(`${server.url}/ui/jobs`);
  const row = page.getByRole("row").filter({ hasText: "tonight" });
  await expect(row.getByText("Waiting for window", { exact: true })).toBeVisible();
  await expect(row).toContainText(waits);
  await expect(row).not.toContainText("Running");
  await takePicture(page, "truth-waiting-jobs");

  await page.goto(`${server.url}/ui/systems/web1?tab=jobs`);
  const task = page.getByRole("list", { name: "Tasks of this system" }).getByRole("listitem");
  await expect(task.first()).toContainText("uptime");
  await expect(task.first().getByText("Queued", { exact: true })).toBeVisible();
  await expect(task.first()).toContainText(
    /Waiting for nights, opens (\w{3} \d+ \w{3}, )?\d\d:\d\d/,
  );
  await takePicture(page, "truth-waiting-task");
});

import { withOwnServer } from "./support/own";
import { enter, expect, expectAccessible, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

test("a job is written with a preview, run, and its result read", async ({ page, server }) => {
  test.slow();
  await server.fleet(["web1", "web2", "web3"], { tags: ["web"] });
  await enter(page, server, "/jobs");
  await expect(page.getByRole("heading", { name: "No jobs yet" })).toBeVisible();
  await page.getByRole("link", { name: "Create job" }).first().click();

  await page.getByRole("combobox", { name: "Systems" }).fill("tag:web");
  await page.getByLabel("Command").fill("echo hello from muster");
  await page.getByLabel("Note").fill("first try");
  await expect(page.getByText("3 systems", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Copy as CLI" }).click();
  await expect(page.getByLabel("Command", { exact: true }).last()).toHaveValue(
    "muster run tag:web --note 'first try' -- 'echo hello from muster'",
  );
  await page.keyboard.press("Escape");
  await expectSound(page, "jobs-new");

  await page.getByRole("button", { name: "Run on 3 systems" }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "echo hello from muster" }),
  ).toBeVisible();
  await expect(page.getByText("3 of 3 systems finished")).toBeVisible();
  await expect(page.getByText("completed 3")).toBeVisible();
  await page.getByRole("button", { name: "Show output and systems" }).click();
  await expect(page.getByRole("region", { name: "stdout" })).toContainText("hello from muster");
});

test("what fails alike is one kind, and only that is retried", async ({ page, server }) => {
  const job = await server.post<{ id: string }>("/api/v1/jobs", {
    query: "tag:web",
    function: "cmd.run",
    arguments: { cmd: "echo cannot reach port $$ >&2; exit 7" },
  });
  await enter(page, server, `/jobs/${job.id}`);
  await expect(page.getByText("3 of 3 systems finished")).toBeVisible();
  await expect(page.getByText("3 similar results")).toBeVisible();
  await expect(page.getByText("Exit code 7")).toBeVisible();
  await page.getByRole("button", { name: "Show each result" }).click();
  await expectSound(page, "jobs-failed");

  await page.getByRole("tab", { name: /Systems/ }).click();
  await page.getByLabel("Filter by state").selectOption("failed");
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.getByRole("link", { name: "web2" }).click();
  await expect(page.getByRole("heading", { name: "Why" })).toBeVisible();
  await expect(page.getByRole("region", { name: "stderr" })).toContainText("cannot reach port");
  await expectAccessible(page);

  await page.goBack();
  await page.getByRole("button", { name: "Retry 3 failed" }).click();
  await expect(page).not.toHaveURL(new RegExp(job.id));
  await expect(page.getByText("3 of 3 systems finished")).toBeVisible();
});

test("a running job is paused, resumed, watched and cancelled", async ({ page, server }) => {
  const job = await server.post<{ id: string }>("/api/v1/jobs", {
    query: "tag:web",
    function: "cmd.run",
    arguments: { cmd: "for n in $(seq 300); do echo line $n; sleep 0.2; done" },
    batch: 1,
  });
  await enter(page, server, `/jobs/${job.id}`);
  await expect(page.getByText("running 1")).toBeVisible();
  await expect(page.getByText("queued 2")).toBeVisible();
  await page.getByRole("button", { name: "Pause job" }).click();
  await expect(page.getByText("Paused", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Resume job" }).click();

  await page.getByRole("tab", { name: /Systems/ }).click();
  await page.getByLabel("Filter by state").selectOption("picked_up");
  await page.getByRole("table", { name: "Systems of this job" }).getByRole("link").first().click();
  await expect(page.getByRole("log", { name: "output" })).toContainText("line 1");
  await expect(page.getByRole("log", { name: "output" })).toContainText("line 9");
  await page.goBack();

  await page.getByRole("button", { name: "Cancel job…" }).click();
  await page.getByLabel("Stop running tasks").check();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel job" }).click();
  await expect(page.getByText("3 of 3 systems finished")).toBeVisible();
  await expect(page.getByText("Cancelled", { exact: true }).first()).toBeVisible();
  await page.goto(`${server.url}/ui/jobs`);
  await expect(page.getByRole("table", { name: "Jobs" }).getByRole("row")).toHaveCount(5);
  await expectSound(page, "jobs");
});

test("what is wrong is said where it is wrong, by keyboard alone", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(/status of 400/);
  await enter(page, server, "/jobs/new");
  await page.getByRole("combobox", { name: "Systems" }).focus();
  await page.keyboard.type("tag:web and (");
  await expect(page.getByText(/at \d+:/).first()).toBeVisible();
  await page.getByRole("button", { name: "Run job" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Complete the form")).toBeVisible();
});

test("a chain is written step by step, run, and taken up again", async ({ page, server }) => {
  await enter(page, server, "/jobs/new?q=tag:web");
  await page.getByLabel("Action", { exact: true }).selectOption("Chain of steps");
  await page.getByLabel("Step 1", { exact: true }).fill("echo one");
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByLabel("Step 3", { exact: true }).fill("echo two");
  await page.getByLabel("Time limit of step 3").fill("5m");
  await page.getByRole("button", { name: "Remove step 2" }).click();
  await page.getByRole("button", { name: "Move step 2 up" }).click();
  await expect(page.getByLabel("Step 1", { exact: true })).toHaveValue("echo two");
  await expectSound(page, "jobs-chain");
  await page.getByRole("button", { name: "Run on 3 systems" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Chain of 2 steps" })).toBeVisible();
  await expect(page.getByText("3 of 3 systems finished")).toBeVisible();
  await expect(page.getByText("completed 3")).toBeVisible();

  await page.getByRole("link", { name: "Run again…" }).click();
  await expect(page.getByLabel("Step 2", { exact: true })).toHaveValue("echo one");
  await expect(page.getByLabel("Time limit of step 1")).toHaveValue("5m");
});

test("a job goes out as its form says: canaries first, few at once", async ({ page, server }) => {
  await enter(page, server, "/jobs/new?q=tag:web&cmd=true");
  await page.getByRole("button", { name: /^Rollout/ }).click();
  await page.getByLabel("Batch", { exact: true }).fill("2");
  await page.getByLabel("Canaries", { exact: true }).fill("1");
  await page.getByLabel("Canary wait").fill("1h");
  await page.getByLabel("Maximum failures").fill("1");
  await page.getByLabel("Priority").fill("7");
  await expect(page.getByText("Canaries first")).toBeVisible();
  await expect(page.getByText("Maximum in parallel")).toBeVisible();
  await expectSound(page, "jobs-rollout");
  await page.getByRole("button", { name: "Run on 3 systems" }).click();
  await expect(page.getByText("completed 1")).toBeVisible();
  await expect(page.getByText("queued 2")).toBeVisible();

  await page.getByRole("tab", { name: "Details" }).click();
  const factLine = (name: string) => page.locator("dl.facts-line > div").filter({ hasText: name });
  await expect(factLine("Batch").first()).toContainText("2");
  await expect(factLine("Canary").first()).toContainText("1");
  await expect(factLine("Priority")).toContainText("7");
  await page.getByRole("tab", { name: /Systems/ }).click();
  await page.getByLabel("Filter by state").selectOption("queued");
  await page.getByRole("table", { name: "Systems of this job" }).getByRole("link").first().click();
  await expect(page.getByText(/queued: the canaries succeeded; the other systems/)).toBeVisible();
  await page.goBack();
  await page.getByRole("button", { name: "Release remaining systems" }).click();
  await expect(page.getByText("3 of 3 systems finished")).toBeVisible();
});

test("a run that recurs is made, changed, paused and removed", async ({ page, server }) => {
  await enter(page, server, "/jobs/recurring");
  await page.getByRole("button", { name: "Create recurring schedule" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("nightly");
  await dialog.getByRole("combobox", { name: "Systems" }).fill("tag:web");
  await dialog.getByLabel("Command").fill("true");
  await dialog.getByRole("button", { name: "Create schedule" }).click();
  await expect(page.getByRole("cell", { name: "nightly true" })).toBeVisible();
  await page.getByRole("button", { name: "Edit…" }).click();
  await dialog.getByLabel("Command").fill("uptime");
  await dialog.getByLabel("When").fill("@daily");
  await dialog.getByRole("button", { name: "Save schedule" }).click();
  await expect(page.getByRole("cell", { name: "nightly uptime" })).toBeVisible();
  await expect(page.getByRole("cell", { name: /@daily/ })).toBeVisible();
  await page.getByRole("switch", { name: "nightly active" }).click({ force: true });
  await expect(page.getByText("Schedule nightly paused")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete schedule" }).click();
  await expect(page.getByRole("heading", { name: "No recurring schedules" })).toBeVisible();
});

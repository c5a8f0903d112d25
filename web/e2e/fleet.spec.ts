import { eventually } from "./support/server";
import { enter, expect, expectSound, test } from "./support/test";

test.describe.configure({ mode: "serial" });

test("a new system is seen, looked at, labelled and accepted", async ({ page, server }) => {
  await enter(page, server, "/onboarding");
  await expect(page.getByRole("heading", { name: "No systems waiting" })).toBeVisible();

  await server.agent("web1");
  await server.agent("web2");
  await expect(page.getByRole("button", { name: "web1" })).toBeVisible();
  await page.getByRole("button", { name: "web1" }).click();
  await expect(page.getByRole("dialog").getByText("os.name").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expectSound(page, "onboarding");

  await expect(page.getByRole("button", { name: "Accept…" })).toBeDisabled();
  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await page.getByRole("button", { name: "Accept…" }).click();
  await page.getByRole("dialog").getByLabel("Tags").fill("db, canary");
  await page.getByRole("dialog").getByLabel("As new").check();
  await page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
  await expect(page.getByText("2 systems changed")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No systems waiting" })).toBeVisible();
  await eventually("both are attached", async () => {
    const answer = await server.get<{ count: number }>("/api/v1/systems/count?q=state:onboarded");
    return answer.count === 2;
  });
});

test("the overview shows the fleet, and what happens as it happens", async ({ page, server }) => {
  await enter(page, server);
  await expect(page.getByRole("link", { name: "2 systems" })).toBeVisible();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();

  const job = await server.post<{ id: string }>("/api/v1/jobs", {
    query: "*",
    function: "cmd.run",
    arguments: { cmd: "echo hello; exit 3" },
  });
  // Nothing but the stream of events brings new lines.
  const activity = page.locator(".event-lines");
  const line = activity.locator(`a[href="/ui/jobs/${job.id}"]`);
  await expect(line.filter({ hasText: "Job created by admin" })).toBeVisible();
  await expect(line.filter({ hasText: "2 failed" })).toBeVisible();
  await expect(page.getByRole("link", { name: /Job failed on 2 systems/ })).toHaveAttribute(
    "href",
    `/ui/jobs/${job.id}`,
  );
  const node = page
    .getByRole("table", { name: /^default/ })
    .getByRole("row")
    .nth(1);
  await expect(node.getByRole("cell", { name: "2", exact: true })).toBeVisible();
  await expect(node.getByText(/\d+ % free/)).toBeVisible();
  await expectSound(page, "overview");

  // Whoever comes later sees the last of it first.
  await page.reload();
  await expect(activity.getByRole("listitem").first()).toContainText("Job");
  await expect(page.getByRole("link", { name: "echo hello; exit 3" }).first()).toBeVisible();
});

test("an expression is completed, counted while typing, and found again by its address", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(/status of 400/);
  await enter(page, server, "/search");
  const box = page.getByRole("combobox", { name: "Query" });
  await box.pressSequentially("sta");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(box).toHaveValue("state:onboarded ");
  await expect(page.getByText("2 systems", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "web1" })).toBeVisible();

  await box.fill("tag:db and");
  await expect(page.getByText(/at \d+: /)).toBeVisible();
  await box.fill("tag:db and not web2");
  await expect(page.getByText("1 system", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "web2" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/q=tag%3Adb\+and\+not\+web2/);
  await expectSound(page, "search");

  await page.reload();
  await expect(box).toHaveValue("tag:db and not web2");
  await expect(page.getByRole("link", { name: "web1" })).toBeVisible();
});

test("those picked are tagged, and an expression is saved as a group", async ({ page, server }) => {
  await enter(page, server, "/search");
  await page.getByRole("checkbox", { name: "Select web1" }).check();
  await expect(page.getByText("1 system selected")).toBeVisible();
  await page.getByRole("button", { name: "Actions", exact: true }).click();
  await page.getByRole("menuitem", { name: "Tags…" }).click();
  await page.getByRole("dialog").getByLabel("Add tags").fill("edge");
  await page.getByRole("dialog").getByRole("button", { name: "Change tags" }).click();
  await expect(page.getByText("1 system changed")).toBeVisible();

  await page.getByRole("combobox", { name: "Query" }).fill("tag:edge");
  await expect(page.getByText("1 system", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Save as group…" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("at-the-edge");
  await page.getByRole("dialog").getByRole("button", { name: "Save group" }).click();
  await expect(page.getByText("Group at-the-edge created")).toBeVisible();
  await page.getByRole("combobox", { name: "Query" }).fill("group:at-the-edge");
  await expect(page.getByText("1 system", { exact: true })).toBeVisible();
});

test("before configuration is applied it is told that nobody has any", async ({ page, server }) => {
  await enter(page, server, "/search?q=web*");
  await expect(page.getByRole("link", { name: "web1" })).toBeVisible();
  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await page.getByRole("button", { name: "Actions", exact: true }).click();
  await page.getByRole("menuitem", { name: "Apply configuration…" }).click();
  const dialog = page.getByRole("dialog", { name: "Apply configuration to 2 systems" });
  await expect(dialog.getByText(/No configuration files/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Compare" })).toBeDisabled();
  await expectSound(page, "apply");
});

test("a group is seen with its systems, changed, and removed", async ({ page, server }) => {
  await enter(page, server, "/groups");
  const row = page.getByRole("row", { name: /at-the-edge/ });
  await expect(row).toContainText("tag:edge");
  await expect(row.getByRole("cell", { name: "1", exact: true })).toBeVisible();
  await expectSound(page, "groups");
  await row.getByRole("button", { name: "Edit…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Query" }).fill("tag:db");
  await expect(dialog.getByText("2 systems")).toBeVisible();
  await dialog.getByRole("button", { name: "Save group" }).click();
  await expect(row.getByRole("cell", { name: "2", exact: true })).toBeVisible();
  await row.getByRole("link", { name: "at-the-edge" }).click();
  await expect(page.getByText("2 systems", { exact: true })).toBeVisible();

  await page.goto(`${server.url}/ui/groups`);
  await row.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete group" }).click();
  await expect(page.getByRole("heading", { name: "No groups yet" })).toBeVisible();
});

test("a system tells who it is, its facts, what ran on it, and what became of it", async ({
  page,
  server,
}) => {
  const run = () =>
    server.post("/api/v1/jobs", {
      query: "web1",
      function: "cmd.run",
      arguments: { cmd: "cat /proc/sys/kernel/random/uuid" },
    });
  await run();
  await run();
  await enter(page, server, "/systems/web1");
  await expect(page.getByRole("heading", { level: 1, name: "web1" })).toBeVisible();
  await expect(page.getByText("Onboarded", { exact: true })).toBeVisible();
  await expect(page.getByText("may be changed at any time")).toBeVisible();
  await expectSound(page, "system");

  await page.getByRole("tab", { name: "Facts" }).click();
  await expect(page.getByText("os.name").first()).toBeVisible();
  await expectSound(page, "system-facts");

  await page.getByRole("tab", { name: "Jobs" }).click();
  const newest = page.getByRole("listitem").filter({ hasText: "random/uuid" }).first();
  await newest.getByRole("button", { name: /Output of cat/ }).click();
  await newest.getByRole("button", { name: "Changes since previous run" }).click();
  await expect(newest.locator(".diff-added")).toHaveCount(1);
  await expect(newest.locator(".diff-removed")).toHaveCount(1);
  await expectSound(page, "system-jobs");

  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByText(/Accepted by admin/).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "Audit" })).toBeVisible();
  await expect(
    page.getByRole("listitem").filter({ hasText: "systems.label" }).first(),
  ).toContainText("admin");
  await expectSound(page, "system-history");
});

test("a line tells when a system was there, and when it was not", async ({ page, server }) => {
  test.slow();
  await server.stopAgent("web1");
  await eventually("it is missed", async () => {
    const now = await server.get<{ state: string }>("/api/v1/systems/web1");
    return now.state === "orphan";
  });
  await eventually("that is on record", async () => {
    const line = await server.get<{ items: { state: string }[] }>("/api/v1/systems/web1/history");
    return line.items.at(-1)?.state === "orphan";
  });
  await enter(page, server, "/systems/web1");
  await page.getByRole("button", { name: "Day", exact: true }).click();
  await expect(page.getByText(/Detached from/).first()).toBeVisible();
  await expect(page.getByRole("img", { name: /not attached/ })).toBeVisible();
  await expectSound(page, "system-presence");
});

test("who is deleted is gone only after the words were typed", async ({ page, server }) => {
  await enter(page, server, "/systems/web2");
  await page.getByRole("button", { name: "Actions", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Delete permanently" })).toBeDisabled();
  await dialog.getByLabel(/Type/).fill("delete 1");
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await expect(page.getByText("1 system changed")).toBeVisible();
  await expect(page.getByText("Deleted", { exact: true }).first()).toBeVisible();
});

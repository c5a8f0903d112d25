// Lists that are longer than a page: all of it is reached, and only what is seen is asked for again.
import type { Page } from "@playwright/test";
import { withOwn } from "./support/own";
import { eventually, Server } from "./support/server";
import { enter, expect, expectSound } from "./support/test";

const test = withOwn(
  () => new Server(),
  (server) => server.open("--agents-requests-per-address", "10000"),
);

test.describe.configure({ mode: "serial" });

const systems = 450; // two pages of 200, and some

// The cursors by which pages of a list are asked for from now on.
function cursorsAsked(page: Page, path: string): string[] {
  const cursors: string[] = [];
  page.on("request", (sent) => {
    const to = new URL(sent.url());
    if (to.pathname === path) cursors.push(to.searchParams.get("after") ?? "");
  });
  return cursors;
}

// As one who scrolls on until the list has no more.
async function scrollToEnd(page: Page, last: number) {
  const port = page.locator(".rows-port");
  const row = page.locator(`.rows-row[aria-rowindex="${last + 1}"]`);
  await expect(async () => {
    await port.evaluate((is) => {
      is.scrollTop = is.scrollHeight;
    });
    await expect(page.locator(".rows-row .rows-wait")).toHaveCount(0, { timeout: 1_000 });
    await expect(row).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole("table")).toHaveAttribute("aria-rowcount", String(last + 1));
}

test("a pool of several pages is reached to its end, and only its end is asked for again", async ({
  page,
  server,
}) => {
  await server.swarm(systems);
  await enter(page, server, "/onboarding");
  await scrollToEnd(page, systems);
  const cursors = cursorsAsked(page, "/api/v1/keys");
  await expect.poll(() => cursors.length).toBeGreaterThanOrEqual(2);

  expect(cursors).not.toContain("");
  await page.locator(".rows-port").evaluate((is) => {
    is.scrollTop = 0;
  });
  await expect(page.locator('.rows-row[aria-rowindex="2"]')).toBeVisible();
  await expect.poll(() => cursors).toContain("");
  await expectSound(page, "onboarding-many");
});

test("those selected stay selected while one scrolls, and all are meant when all are selected", async ({
  page,
  server,
}) => {
  await enter(page, server, "/onboarding");
  await page.getByRole("checkbox").first().check();
  await scrollToEnd(page, systems);
  await page.getByRole("checkbox").last().check();
  await expect(page.getByText("2 systems selected")).toBeVisible();
  await page.getByRole("checkbox").last().uncheck();
  await page.locator(".rows-port").evaluate((is) => {
    is.scrollTop = 0;
  });
  await page.getByRole("checkbox").first().uncheck();

  await expect(page.getByRole("button", { name: "Accept…" })).toBeDisabled();
  await page.getByRole("button", { name: `Select all ${systems} matching` }).click();
  await expect(page.getByText(`All ${systems} matching selected`)).toBeVisible();
  await page.getByRole("button", { name: "Accept…" }).click();
  await expect(page.getByRole("dialog", { name: `Accept ${systems} systems` })).toBeVisible();
  await page.getByRole("dialog").getByLabel("Accept as new").check();
  await page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
  await expect(page.getByText(`${systems} systems changed`)).toBeVisible();
  await expect(page.getByRole("heading", { name: "No systems waiting" })).toBeVisible();
  await eventually("all are attached", async () => {
    const answer = await server.get<{ count: number }>("/api/v1/systems/count?q=state:onboarded");
    return answer.count === systems;
  });
});

test("the systems of a job are reached to the last", async ({ page, server }) => {
  const job = await server.post<{ id: string }>("/api/v1/jobs", {
    query: "*",
    function: "test.ping",
  });
  await enter(page, server, `/jobs/${job.id}?tab=systems`);
  await expect(page.getByText(`${systems} of ${systems} systems finished`)).toBeVisible();
  await scrollToEnd(page, systems);
  await page.getByLabel("Filter by state").selectOption("failed");
  await expect(page.getByRole("heading", { name: "No systems in this state" })).toBeVisible();
});

test("jobs are turned page by page, and chosen by how they stand", async ({ page, server }) => {
  for (let number = 0; number < 60; number += 1)
    await server.post("/api/v1/jobs", {
      query: "name:nobody",
      function: "test.ping",
      allow_empty: true,
      note: `number ${number}`,
    });
  await server.post("/api/v1/jobs", { query: "*", function: "test.ping", at: "+1h" });
  await enter(page, server, "/jobs");
  const rows = page.getByRole("table", { name: "Jobs" }).getByRole("row");
  await expect(rows).toHaveCount(51);
  await page.getByRole("button", { name: "Older" }).click();
  await expect(page.getByText("Page 2")).toBeVisible();
  await expect(page.getByText("number 0", { exact: true })).toBeVisible();
  await expect(rows).toHaveCount(13); // 60, one that waits, and the one before them
  await page.getByRole("button", { name: "Newer" }).click();
  await expect(page.getByText("number 59", { exact: true })).toBeVisible();
  await expectSound(page, "jobs-many");

  await page.getByLabel("Filter by state").selectOption("Running, waiting or paused");
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/only=running/);
  await page.goto(`${server.url}/ui/overview`);
  await expect(page.getByRole("heading", { name: "Active jobs (1)" })).toBeVisible();
});

// While the server is away the UI stays, says so, and says how old its data is.
import { withOwn } from "./support/own";
import { RestartableServer } from "./support/restartable";
import { enter, expect, expectAccessible, takePicture } from "./support/test";

const test = withOwn(
  () => new RestartableServer(),
  (server) => server.open(),
);

test.describe.configure({ mode: "serial" });

// The last one is what the accessibility checker says when it cannot read the style sheets.
const lost = /ERR_|Failed to (load|fetch)|status of 5\d\d|Couldn't load preload assets/;
const banner = /No connection to the server\. Data as of \d\d:\d\d:\d\d\./;

test("a page that was not loaded shows a message until the server is back", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(lost);
  // A browser that is never idle: nothing is fetched before it is needed.
  await page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
  await enter(page, server, "/overview");
  await expect(page.getByRole("heading", { name: "Needs attention" })).toBeVisible();
  await server.stop();
  await page.getByRole("link", { name: "Topology", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Server not reachable" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Pages" })).toBeVisible();
  await expect(page.getByText(banner)).toBeVisible();
  await takePicture(page, "truth-unreachable");
  await expectAccessible(page, "unreachable");

  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { name: "Server not reachable" })).toBeVisible();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Needs attention" })).toBeVisible();
  await page.getByRole("link", { name: "Topology", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Server not reachable" })).toBeVisible();

  await server.startAgain();
  await expect(page.getByRole("heading", { level: 1, name: "Topology" })).toBeVisible();
  await expect(page.getByText("Slots by node")).toBeVisible();
  await expect(page.getByText("No connection to the server")).toHaveCount(0);
});

test("pages are prefetched in idle time and open without a server", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(lost);
  await enter(page, server, "/overview");
  const parts = () =>
    page.evaluate(
      () =>
        performance
          .getEntriesByType("resource")
          .filter((entry) => /\/assets\/.*\.js$/.test(entry.name)).length,
    );
  const first = await parts();
  await expect.poll(parts).toBeGreaterThan(first + 5);
  let before = -1;
  await expect(async () => {
    const now = await parts();
    const same = now === before;
    before = now;
    expect(same).toBe(true);
  }).toPass({ intervals: [3_000] });

  const live = await page.locator(".page-subtitle time").innerText();
  await server.stop();
  await expect(page.getByText(banner)).toBeVisible();
  await page.getByRole("link", { name: "Admin", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Admin" })).toBeVisible();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Needs attention" })).toBeVisible();
  await expect(page.locator(".page-subtitle time")).not.toHaveText("");
  expect(live).not.toBe("");
  await takePicture(page, "truth-banner");

  await server.startAgain();
  await expect(page.getByText("No connection to the server")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Needs attention" })).toBeVisible();
});

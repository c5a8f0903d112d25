// Three servers and real agents: from a new system to a result, and the masthead on a phone. Every
// address of the UI is looked at in pages_wide.spec.ts and pages_phone.spec.ts.
import { Cluster } from "./support/cluster";
import { fill } from "./support/lively";
import { withOwn } from "./support/own";
import { enter, expect } from "./support/test";

const test = withOwn(
  () => new Cluster(),
  (cluster) => cluster.openAll(),
);

test.describe.configure({ mode: "serial" });

test("a system enrols, is accepted, runs a command, and its result is read", async ({
  page,
  server,
}) => {
  test.slow();
  const second = server.urlOf("muster-2");
  await enter(page, server, "/onboarding", second);
  await expect(page.getByRole("heading", { name: "No systems waiting" })).toBeVisible();
  await Promise.all([server.agent("web1"), server.agent("web2")]);
  await expect(page.getByRole("button", { name: "web1" })).toBeVisible();
  await expect(page.getByRole("button", { name: "web2" })).toBeVisible();
  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await page.getByRole("button", { name: "Accept…" }).click();
  await page.getByRole("dialog").getByLabel("Tags").fill("web");
  await page.getByRole("dialog").getByLabel("As new").check();
  await page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
  await expect(page.getByText("2 systems changed")).toBeVisible();

  await page.goto(`${second}/ui/search?q=tag:web and state:onboarded`);
  await expect(page.getByText("2 systems", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await page.getByRole("button", { name: "Run…" }).click();
  await page.getByLabel("Command").fill("echo hello from three");
  await page.getByRole("button", { name: "Run on 2 systems" }).click();
  await expect(page.getByText("2 of 2 systems finished")).toBeVisible();
  await page.getByRole("button", { name: "Show output and systems" }).click();
  await expect(page.getByRole("region", { name: "stdout" })).toContainText("hello from three");
});

test("on a phone the masthead's parts stand beside each other, and titles are whole", async ({
  page,
  server,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await fill(server);
  await enter(page, server, "/overview");
  await expect(page.getByLabel("Zone filter")).toBeVisible();
  const parts = [".brand-link", ".zone-select", ".live-mark", "button[aria-label^='User menu of']"];
  let before = 0;
  for (const part of parts) {
    const box = await page.locator(part).boundingBox();
    expect(box?.x, part).toBeGreaterThanOrEqual(before);
    before = (box?.x ?? 0) + (box?.width ?? 0);
  }
  expect(before).toBeLessThanOrEqual(390);

  await page.goto(`${server.url}/ui/search?q=tag:web`);
  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await page.getByRole("button", { name: "Actions", exact: true }).click();
  await page.getByRole("menuitem", { name: "Reconnect…" }).click();
  const title = page.getByRole("dialog").getByRole("heading", { level: 1 });
  await expect(title).toBeVisible();
  expect(await title.evaluate((is) => is.scrollWidth - is.clientWidth)).toBeLessThanOrEqual(1);
});

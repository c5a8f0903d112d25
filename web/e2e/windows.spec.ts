import { daily, hoursFromNow } from "./support/calendar";
import { withOwn } from "./support/own";
import { freePort } from "./support/server";
import { enter, expect, expectAccessible, expectSound } from "./support/test";
import { CalendarHost, TrustingServer } from "./support/trusting";

const test = withOwn(
  () => new TrustingServer(),
  (server) => server.open(),
);

test.describe.configure({ mode: "serial" });
test.use({ timezoneId: "Africa/Lagos" }); // an hour ahead of UTC all year

// Every night from ten to two, in UTC.
const nights = daily("Nights", new Date("2026-01-01T22:00:00Z"), 4);

const soon = hoursFromNow(3);
const written = isoOf(soon);

function isoOf(at: Date): string {
  return at.toISOString().replace(".000Z", "Z");
}

function inLagos(at: Date): string {
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "medium",
    timeZone: "Africa/Lagos",
  }).format(at);
}

function inUtc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

test("a calendar is uploaded, shown by month and week, and given to systems", async ({
  page,
  server,
}) => {
  test.slow();
  await server.fleet(["db1", "db2"], { tags: ["db"] });
  await enter(page, server, "/windows");
  await expect(page.getByRole("heading", { name: "No maintenance schedules yet" })).toBeVisible();
  await page.getByRole("button", { name: "Create schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "nights.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from(nights),
  });
  await expect(dialog.getByRole("textbox", { name: /^Name/ })).toHaveValue("nights");
  await dialog.getByRole("button", { name: "Create schedule" }).click();
  const month = page.getByRole("table");
  await expect(month.getByText("from 23:00").first()).toBeVisible(); // in Lagos
  await expectSound(page, "windows-month");

  await page.getByRole("button", { name: "Next month" }).click();
  await expect(month.getByText("from 23:00").first()).toBeVisible();
  await page.getByRole("button", { name: "Week" }).click();
  await expect(page.getByText("until 03:00").first()).toBeVisible();
  await expectSound(page, "windows-week");

  await page.getByRole("tab", { name: "Schedules" }).click();
  await page.getByRole("button", { name: "Assign to systems…" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Systems" }).fill("tag:db");
  await expect(page.getByRole("dialog").getByText("2 systems")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Assign schedule" }).click();
  await expect(page.getByText("nights assigned to 2 systems")).toBeVisible();
  await page.getByRole("button", { name: "nights", exact: true }).click();
  await expect(page.getByRole("dialog").getByText("Next windows")).toBeVisible();
  await expect(page.getByRole("dialog").getByRole("link", { name: "db1" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expectAccessible(page);
});

test("those found get another schedule, and the overview and their pages tell of it", async ({
  page,
  server,
}) => {
  await server.post("/api/v1/windows/calendars", { label: "soon", text: daily("Soon", soon, 2) });
  await server.post("/api/v1/windows/schedules", {
    name: "soon",
    type: "single",
    calendar: "soon",
  });
  await enter(page, server, "/search?q=tag:db");
  await expect(page.getByText("2 systems", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await page.getByRole("button", { name: "Actions", exact: true }).click();
  await page.getByRole("menuitem", { name: "Maintenance schedule…" }).click();
  const dialog = page.getByRole("dialog", { name: "Maintenance schedule of 2 systems" });
  await dialog.getByLabel("Schedule").selectOption("soon");
  await dialog.getByRole("button", { name: "Assign schedule" }).click();
  await expect(dialog).toHaveCount(0);

  await page.goto(`${server.url}/ui/systems/db1`);
  await expect(page.getByRole("link", { name: "soon" })).toBeVisible();
  const windows = page.locator(".system-windows").getByRole("listitem");
  await expect(windows).toHaveCount(5);
  await expect(windows.first().locator("time").first()).toHaveAttribute("datetime", written);
  await page.goto(`${server.url}/ui/overview`);
  const row = page.locator(".window-row").filter({ hasText: "soon" });
  await expect(row).toContainText("2 systems");
  await expect(row).toContainText(/opens in 2 h 5\d min/);
});

test("a job that respects windows is forecast, and waits for its window", async ({
  page,
  server,
}) => {
  await enter(page, server, "/jobs/new?q=tag:db&cmd=uptime");
  await page.getByLabel("Maintenance windows").selectOption("respect");
  const forecast = page.getByRole("table", { name: "Forecast" });
  await expect(forecast.getByRole("row")).toHaveCount(2); // one of them the head
  await expect(forecast.getByRole("cell", { name: "soon" })).toBeVisible();
  await expect(forecast.locator("time").first()).toHaveAttribute("datetime", written);
  await expect(forecast.getByText("2", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Run on 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "uptime" })).toBeVisible();
  await expect(page.getByText("queued 2")).toBeVisible();

  await page.getByRole("tab", { name: /Systems/ }).click();
  await page.getByRole("link", { name: "db1" }).click();
  await expect(page.getByRole("heading", { name: "Why" })).toBeVisible();
  // Every time is one of the user's own zone, also in the server's sentence, with UTC on hover.
  const why = page.locator(".why");
  await expect(why).toContainText(`next window opens at ${inLagos(soon)}`);
  await expect(why).not.toContainText(/UTC|\dT\d/);
  const times = why.locator("time");
  expect(await times.count()).toBeGreaterThanOrEqual(2); // in the sentence, and when it opens
  for (const locator of await times.all()) await expect(locator).toHaveAttribute("title", / UTC$/);
  await expect(times.first()).toHaveAttribute("title", inUtc(soon));
  await expectSound(page, "jobs-why");

  await page.goto(`${server.url}/ui/windows/plans`);
  await expect(page.getByText("2 of 2 systems waiting")).toBeVisible();
  await expect(forecast.locator("time").first()).toHaveAttribute("datetime", written);
  await expectSound(page, "windows-plans");
});

test("emergencies may be forbidden, and then nothing starts by one", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(/status of 4\d\d/);
  await enter(page, server, "/windows/policy");
  const rule = page.getByRole("switch", { name: /outside maintenance windows in an emergency/ });
  await expect(rule).toBeChecked();
  await expectSound(page, "windows-policy");
  await rule.click({ force: true });
  await expect(page.getByText("Maintenance policy changed")).toBeVisible();
  await expect(rule).not.toBeChecked();

  await page.goto(`${server.url}/ui/jobs/new?q=tag:db&cmd=uptime`);
  await page.getByLabel("Maintenance windows").selectOption("override");
  await page.getByRole("button", { name: /^Run/ }).click();
  await expect(page.getByText(/Job not created|Invalid job/).first()).toBeVisible();
});

test("a calendar at an address that does not answer is told, and nothing is made", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(/status of [45]\d\d/);
  await enter(page, server, "/windows/schedules");
  await page.getByRole("button", { name: "Create schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Calendar URL").check();
  await dialog
    .getByRole("textbox", { name: /^URL/ })
    .fill(`https://127.0.0.1:${await freePort()}/patching.ics`);
  await dialog.getByRole("textbox", { name: /^Name/ }).fill("patching");
  await dialog.getByRole("button", { name: "Create schedule" }).click();
  await expect(dialog.getByText("Cannot create the schedule")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("button", { name: "patching" })).toHaveCount(0);
});

test("a calendar at an address is fetched, and fetched again when it has changed", async ({
  page,
  server,
}) => {
  const [first, second] = [hoursFromNow(5), hoursFromNow(9)];
  const host = await CalendarHost.open(server, daily("Patching", first, 1));
  try {
    await enter(page, server, "/windows/schedules");
    await page.getByRole("button", { name: "Create schedule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Calendar URL").check();
    await dialog.getByRole("textbox", { name: /^URL/ }).fill(host.url);
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("patching");
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    await expect(page.getByText("Created: patching")).toBeVisible();
    const row = page.getByRole("row", { name: /patching/ });
    await expect(row.locator("time").first()).toHaveAttribute("datetime", isoOf(first));
    expect(host.requests).toBe(1);

    host.text = daily("Patching", second, 1);
    await page.getByRole("tab", { name: "Calendar files" }).click();
    await expect(row).toContainText(host.url);
    await row.getByRole("button", { name: "Fetch now" }).click();
    await expect(page.getByText("Calendar patching fetched")).toBeVisible();
    expect(host.requests).toBe(2);
    await expectSound(page, "windows-address");
    await page.getByRole("tab", { name: "Schedules" }).click();
    await expect(row.locator("time").first()).toHaveAttribute("datetime", isoOf(second));
  } finally {
    host.close();
  }
});

test("a wrong file is refused with its line", async ({ page, server, watched }) => {
  watched.allow(/status of 4\d\d/);
  await enter(page, server, "/windows/calendars");
  const row = page.getByRole("row", { name: /nights/ });
  await expect(row.getByRole("cell", { name: "Uploaded" })).toBeVisible();
  await row.getByRole("button", { name: "Replace…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "broken.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from("BEGIN:VCALENDAR\r\nnonsense\r\n"),
  });
  await dialog.getByRole("button", { name: "Replace calendar" }).click();
  await expect(dialog.getByText("Cannot replace the calendar")).toBeVisible();
  await expect(dialog.getByText(/line/)).toBeVisible();
});

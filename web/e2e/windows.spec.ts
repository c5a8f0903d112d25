import { withOwnServer } from "./support/own";
import { enter, expect, expectAccessible, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });
test.use({ timezoneId: "Africa/Lagos" }); // an hour ahead of UTC all year

// Every night from ten to two, in UTC.
const nights = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//muster//test//EN",
  "BEGIN:VEVENT",
  "UID:nights",
  "DTSTAMP:20260101T000000Z",
  "DTSTART:20260101T220000Z",
  "DTEND:20260102T020000Z",
  "RRULE:FREQ=DAILY",
  "SUMMARY:Nights",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

test("a calendar is uploaded, shown by month and week, and given to systems", async ({
  page,
  server,
}) => {
  test.slow();
  await server.fleet(["db1", "db2"], { tags: ["db"] });
  await enter(page, server, "/windows");
  await expect(page.getByRole("heading", { name: "No maintenance schedules yet" })).toBeVisible();
  await page.getByRole("button", { name: "Add schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "nights.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from(nights),
  });
  await expect(dialog.getByRole("textbox", { name: /^Name/ })).toHaveValue("nights");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const month = page.getByRole("table");
  await expect(month.getByText("from 23:00").first()).toBeVisible(); // in Lagos
  await expectSound(page, "windows-month");

  await page.getByRole("button", { name: "Next month" }).click();
  await expect(month.getByText("from 23:00").first()).toBeVisible();
  await page.getByRole("button", { name: "Week" }).click();
  await expect(page.getByText("until 03:00").first()).toBeVisible();
  await expectSound(page, "windows-week");

  await page.getByRole("tab", { name: "Schedules" }).click();
  await page.getByRole("button", { name: "Give to systems…" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Systems" }).fill("tag:db");
  await expect(page.getByRole("dialog").getByText("2 systems")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Give" }).click();
  await expect(page.getByText("2 systems now in nights")).toBeVisible();
  await page.getByRole("button", { name: "nights", exact: true }).click();
  await expect(page.getByRole("dialog").getByText("Next windows")).toBeVisible();
  await expect(page.getByRole("dialog").getByRole("link", { name: "db1" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expectAccessible(page);
});

test("a job that respects windows is forecast, and waits in its window", async ({
  page,
  server,
}) => {
  await enter(page, server, "/jobs/new?q=tag:db&cmd=uptime");
  await page.getByLabel("Maintenance windows").selectOption("respect");
  const forecast = page.getByRole("table", { name: "Forecast" });
  await expect(forecast.getByText("nights")).toBeVisible();
  await expect(forecast.getByText("2", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Run on 2" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "uptime" })).toBeVisible();

  await page.goto(`${server.url}/ui/windows/plans`);
  const waits = page.getByText("2 of 2 systems wait");
  const none = page.getByRole("heading", { name: "Nothing waits for a window" });
  await expect(waits.or(none)).toBeVisible(); // by night it has run already
  await expectSound(page, "windows-plans");
});

test("a wrong file is refused with its line", async ({ page, server, watched }) => {
  watched.allow(/status of 4\d\d/);
  await enter(page, server, "/windows/calendars");
  await expect(page.getByRole("cell", { name: "uploaded" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Replace…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "broken.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from("BEGIN:VCALENDAR\r\nnonsense\r\n"),
  });
  await dialog.getByRole("button", { name: "Replace" }).click();
  await expect(dialog.getByText("Not replaced")).toBeVisible();
  await expect(dialog.getByText(/line/)).toBeVisible();
});

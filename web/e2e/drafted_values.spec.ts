// While an edit session is open, lists and forms show drafted values, and the draft shows one net
// difference per item. A revision can be reverted.
import type { Page } from "@playwright/test";
import { daily, hoursFromNow } from "./support/calendar";
import { apply, begin } from "./support/editors";
import { withOwnServer } from "./support/own";
import type { Server } from "./support/server";
import { enter, expect, expectFits, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

async function startEditing(page: Page, server: Server, note: string) {
  await enter(page, server, "/edits");
  await begin(page, note);
}

async function open(page: Page, server: Server, path: string) {
  await page.goto(`${server.url}/ui${path}`);
}

async function discard(page: Page, server: Server) {
  await open(page, server, "/edits");
  await page.getByRole("button", { name: "Discard draft…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard draft" }).click();
  await expect(page.getByText(/Draft discarded/)).toBeVisible();
}

function rowOf(page: Page, name: string) {
  return page.getByRole("row", { name: new RegExp(name) });
}

// Opens the group's form, fills what is given and saves.
async function editGroup(page: Page, name: string, fields: { query?: string; about?: string }) {
  await rowOf(page, name).getByRole("button", { name: "Edit…" }).click();
  const dialog = page.getByRole("dialog", { name: `Edit group ${name}` });
  if (fields.query !== undefined)
    await dialog.getByRole("combobox", { name: "Query" }).fill(fields.query);
  if (fields.about !== undefined) await dialog.getByLabel("Description").fill(fields.about);
  await dialog.getByRole("button", { name: "Save group" }).click();
  await expect(dialog).toHaveCount(0);
}

function item(page: Page, title: string) {
  return page
    .getByRole("list", { name: "Drafted changes" })
    .getByRole("listitem")
    .filter({ has: page.getByText(title, { exact: true }) })
    .first();
}

test("the second edit of a group starts from the first, and both are applied", async ({
  page,
  server,
}) => {
  await server.post("/api/v1/groups", { name: "shop", expression: "tag:shop" });
  await startEditing(page, server, "rename the shop");
  await open(page, server, "/groups");
  await editGroup(page, "shop", { about: "sells things" });
  const row = rowOf(page, "shop");
  await expect(row.getByText("Draft: changed")).toBeVisible();
  await expect(row).toContainText("sells things");

  await row.getByRole("button", { name: "Edit…" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit group shop" });
  await expect(dialog.getByLabel("Description")).toHaveValue("sells things");
  await dialog.getByRole("combobox", { name: "Query" }).fill("tag:till");
  await dialog.getByRole("button", { name: "Save group" }).click();
  await expect(row).toContainText("tag:till");
  await expect(row).toContainText("sells things");
  await expectSound(page, "drafted-groups");
  await page.reload();
  await expect(row.getByText("Draft: changed")).toBeVisible();

  await page.getByRole("link", { name: "Open draft" }).click();
  await apply(page, "both edits");
  const group = await server.get<object>("/api/v1/groups/shop");
  expect(group).toMatchObject({ expression: "tag:till", description: "sells things" });
  await open(page, server, "/groups");
  await expect(row).toContainText("tag:till");
  await expect(row.getByText(/^Draft/)).toHaveCount(0);
});

test("the draft shows one net difference per item, and single changes can be dropped", async ({
  page,
  server,
}) => {
  await startEditing(page, server, "try names");
  await open(page, server, "/groups");
  await editGroup(page, "shop", { query: "tag:a" });
  await editGroup(page, "shop", { query: "tag:b" });

  await page.getByRole("link", { name: "Open draft" }).click();
  const shop = item(page, "Group shop");
  const net = shop.getByRole("region", { name: "Net change of Group shop" });
  await expect(net).toContainText("tag:till");
  await expect(net).toContainText("tag:b");
  await expect(net).not.toContainText("tag:a");
  await shop.getByRole("button", { name: "2 changes" }).click();
  const first = shop.getByRole("region", { name: "Change 1" });
  await expect(first).toContainText("tag:a");
  await expectSound(page, "drafted-net");
  await expectFits(page, "drafted-net");

  await shop.getByRole("button", { name: "Drop change 2" }).click();
  await expect(net).toContainText("tag:a");
  await expect(net).not.toContainText("tag:b");

  // Back to the live value: nothing is left of it.
  await open(page, server, "/groups");
  await editGroup(page, "shop", { query: "tag:till" });
  await expect(rowOf(page, "shop").getByText(/^Draft/)).toHaveCount(0);
  await page.getByRole("link", { name: "Open draft" }).click();
  await expect(shop.getByText("No net change")).toBeVisible();
  await expect(shop.getByRole("button", { name: "2 changes" })).toBeVisible();
  await discard(page, server);
});

test("a group that only the draft has is changed, deleted, and leaves nothing", async ({
  page,
  server,
}) => {
  await startEditing(page, server, "a new group");
  await open(page, server, "/groups");
  await page.getByRole("button", { name: "Create group" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("fresh");
  await dialog.getByRole("combobox", { name: "Query" }).fill("tag:fresh");
  await dialog.getByRole("button", { name: "Create group" }).click();
  const row = rowOf(page, "fresh");
  await expect(row.getByText("Draft: new")).toBeVisible();
  await editGroup(page, "fresh", { about: "just made" });
  await expect(row).toContainText("tag:fresh");
  await expect(row).toContainText("just made");
  await row.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete group" }).click();
  await expect(row).toHaveCount(0);

  // One that is live stays in the list until the draft is applied.
  await rowOf(page, "shop").getByRole("button", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete group" }).click();
  const shop = rowOf(page, "shop");
  await expect(shop.getByText("Draft: to be deleted")).toBeVisible();
  await expect(shop.getByRole("button", { name: "Edit…" })).toHaveCount(0);
  await page.getByRole("link", { name: "Open draft" }).click();
  await expect(item(page, "Group fresh").getByText("No net change")).toBeVisible();
  await expect(item(page, "Group shop").getByText("To be deleted")).toBeVisible();
  await discard(page, server);
  await open(page, server, "/groups");
  await expect(shop.getByRole("button", { name: "Edit…" })).toBeVisible();
});

test("roles, accept rules and the policy show their drafted values", async ({ page, server }) => {
  await server.post("/api/v1/accept-rules", { name: "caches", names: ["cache*"] });
  await server.post("/api/v1/roles", { name: "night-shift", rights: ["jobs.read"] });
  await startEditing(page, server, "for the night");
  const dialog = page.getByRole("dialog");

  await open(page, server, "/admin/roles");
  const role = rowOf(page, "night-shift");
  await role.getByRole("button", { name: "Edit…" }).click();
  await dialog.getByLabel("jobs.run").check();
  await dialog.getByRole("button", { name: "Save role" }).click();
  await expect(role.getByText("Draft: changed")).toBeVisible();
  await expect(role.getByText("jobs.run")).toBeVisible();
  await role.getByRole("button", { name: "Edit…" }).click();
  await expect(dialog.getByLabel("jobs.run")).toBeChecked();
  await dialog.getByLabel("Description").fill("who is awake");
  await dialog.getByRole("button", { name: "Save role" }).click();
  await expect(role).toContainText("who is awake");
  await expectSound(page, "drafted-roles");

  await open(page, server, "/onboarding?tab=rules");
  await page.getByRole("button", { name: "Create accept rule…" }).click();
  await dialog.getByLabel("Name", { exact: false }).first().fill("proxies");
  await dialog.getByLabel("System names").fill("proxy*");
  await dialog.getByRole("button", { name: "Create rule" }).click();
  await expect(rowOf(page, "proxies").getByText("Draft: new")).toBeVisible();
  await expect(rowOf(page, "proxies")).toContainText("name matches proxy*");
  await page.getByRole("button", { name: "Delete rule caches" }).click();
  await dialog.getByRole("button", { name: "Delete rule" }).click();
  await expect(rowOf(page, "caches").getByText("Draft: to be deleted")).toBeVisible();
  await expectSound(page, "drafted-rules");

  await open(page, server, "/windows/policy");
  const allowed = page.getByRole("switch", { name: /outside maintenance windows/ });
  await expect(allowed).toBeChecked();
  await allowed.click({ force: true });
  await expect(page.getByText("Draft: changed")).toBeVisible();
  await expect(allowed).not.toBeChecked();
  await page.reload();
  await expect(allowed).not.toBeChecked();

  await page.getByRole("link", { name: "Open draft" }).click();
  const net = page.getByRole("region", { name: "Net change of Role night-shift" });
  await expect(net).toContainText("jobs.run");
  await expect(net).toContainText("who is awake");
  const policy = page.getByRole("region", { name: "Net change of Maintenance policy" });
  await expect(policy.getByText("emergency_override: true")).toBeVisible();
  await expect(policy.getByText("emergency_override: false")).toBeVisible();
  await expectSound(page, "drafted-several");
  await apply(page, "for the night");
  expect(await server.get<object>("/api/v1/roles/night-shift")).toMatchObject({
    rights: ["jobs.read", "jobs.run"],
    about: "who is awake",
  });
  expect(await server.get<object>("/api/v1/windows/policy")).toMatchObject({
    emergency_override: false,
  });
});

test("schedules and calendars of the draft are listed, with their assignments", async ({
  page,
  server,
}) => {
  await server.fleet(["db1"], { tags: ["db"] });
  await server.post("/api/v1/windows/calendars", {
    label: "days",
    text: daily("Days", hoursFromNow(3), 2),
  });
  await startEditing(page, server, "windows");
  await open(page, server, "/windows/schedules");
  await page.getByRole("button", { name: "Create schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "nights.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from(daily("Nights", hoursFromNow(5), 1)),
  });
  await dialog.getByRole("button", { name: "Create schedule" }).click();
  const schedule = rowOf(page, "nights");
  await expect(schedule.getByText("Draft: new")).toBeVisible();
  await schedule.getByRole("button", { name: "Assign to systems…" }).click();
  await dialog.getByRole("combobox", { name: "Systems" }).fill("tag:db");
  await dialog.getByRole("button", { name: "Assign schedule" }).click();
  await expect(schedule).toContainText("Draft: assign to tag:db");
  await expectSound(page, "drafted-schedules");

  await page.getByRole("tab", { name: "Calendar files" }).click();
  await expect(rowOf(page, "nights").getByText("Draft: new")).toBeVisible();
  await rowOf(page, "days").getByRole("button", { name: "Replace…" }).click();
  await dialog.locator("input[type=file]").setInputFiles({
    name: "days.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from(daily("Longer days", hoursFromNow(3), 4)),
  });
  await dialog.getByRole("button", { name: "Replace calendar" }).click();
  await expect(rowOf(page, "days").getByText("Draft: changed")).toBeVisible();
  await expectSound(page, "drafted-calendars");

  await page.getByRole("link", { name: "Open draft" }).click();
  const days = page.getByRole("region", { name: "Net change of Calendar days" });
  await expect(days.getByText("SUMMARY:Days")).toBeVisible();
  await expect(days.getByText("SUMMARY:Longer days")).toBeVisible();
  await apply(page, "windows");
  await open(page, server, "/windows/schedules");
  await expect(schedule.getByText(/^Draft/)).toHaveCount(0);
  await expect(schedule.getByRole("cell", { name: "1", exact: true })).toBeVisible();
});

test("what a revert skips is listed with its reason", async ({ page, server }) => {
  let session = "";
  await page.route("**/api/v1/revisions/*/revert", async (route) => {
    session = route.request().postDataJSON().edit;
    await route.fulfill({
      json: {
        edit: session,
        changes: [],
        skipped: [{ section: "roles", name: "night-shift", reason: "role is in use" }],
      },
    });
  });
  await enter(page, server, "/edits/history");
  await page.getByRole("table").getByRole("link").first().click();
  await page.getByRole("button", { name: "Revert…" }).click();
  await expect(page.getByRole("dialog")).toContainText("An edit session is started for you.");
  await page.getByRole("dialog").getByRole("button", { name: "Add to draft" }).click();
  await expect(page.getByRole("heading", { name: /0 changes added to the draft/ })).toBeVisible();
  await expect(page.getByRole("list", { name: "Skipped items" })).toContainText(
    "Role night-shift: role is in use",
  );
  await expect(page.getByText("You are editing common data.")).toBeVisible();
  expect(session).toMatch(/^e-/);
  await expectSound(page, "drafted-revert");
  await page.getByRole("button", { name: "End session…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
  await expect(page.getByText("Edit session ended")).toBeVisible();
});

test("a revision is reverted through the draft", async ({ page, server }) => {
  const edit = await server.post<{ id: string }>("/api/v1/edits", { note: "to be reverted" });
  await server.post(
    "/api/v1/groups",
    { name: "mistake", expression: "tag:none" },
    { "Muster-Edit": edit.id },
  );
  const done = await server.post<{ revision: { number: number } }>(
    `/api/v1/edits/${edit.id}/apply`,
    {},
  );
  await enter(page, server, `/edits/history/${done.revision.number}`);
  await page.getByRole("button", { name: "Revert…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add to draft" }).click();
  await expect(page.getByRole("heading", { name: /1 change added to the draft/ })).toBeVisible();
  await expect(item(page, "Group mistake").getByText("To be deleted")).toBeVisible();
  await apply(page, "revert the mistake");
  await open(page, server, "/groups");
  await expect(rowOf(page, "shop")).toBeVisible();
  await expect(rowOf(page, "mistake")).toHaveCount(0);
});

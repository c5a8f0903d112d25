import type { Page } from "@playwright/test";
import { withOwnServer } from "./support/own";
import { admin, type Server } from "./support/server";
import { enter, expect, expectAccessible, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

const ben = { name: "ben", password: "another horse battery staple" };

async function enterAs(page: Page, server: Server, user: string, password: string) {
  await page.goto(`${server.url}/ui/edits`);
  await page.getByLabel("User").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Edit sessions" })).toBeVisible();
}

async function begin(page: Page, why: string) {
  await page.getByRole("button", { name: "Begin editing" }).click();
  await page.getByRole("dialog").getByLabel("Why").fill(why);
  await page.getByRole("dialog").getByRole("button", { name: "Begin" }).click();
  await expect(page.getByText("You edit common data.")).toBeVisible();
}

// A second editor who can log in at once.
async function addBen(server: Server) {
  const made = await server.post<{ password: string }>("/api/v1/users", {
    name: ben.name,
    grants: [{ role: "admin", zone: "" }],
  });
  const entered = await fetch_(server, "/api/v1/login", {
    user: ben.name,
    password: made.password,
  });
  await fetch_(
    server,
    "/api/v1/me/password",
    { old: made.password, new: ben.password },
    entered.token,
  );
}

async function fetch_(server: Server, path: string, data: unknown, token = "") {
  const answer = await server.api.post(path, {
    data,
    headers: token === "" ? {} : { Authorization: `Bearer ${token}`, Cookie: "" },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()) as { token: string };
}

test("changes go into a draft that is shown as a diff, and are applied as a revision", async ({
  page,
  server,
}) => {
  await enter(page, server, "/edits");
  await expect(page.getByRole("heading", { name: "Nobody edits" })).toBeVisible();
  await begin(page, "roles for the night");
  await expect(page.getByText(/Leader: /)).toBeVisible();

  await page.goto(`${server.url}/ui/admin/roles`);
  await page.getByRole("button", { name: "Add role" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("night-shift");
  await page.getByRole("dialog").getByLabel("jobs.read").check();
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText("In the draft")).toBeVisible();
  await expect(page.getByText("1 change so far")).toBeVisible();

  await page.getByRole("link", { name: "Draft and apply" }).click();
  await expect(page.getByText("roles night-shift").first()).toBeVisible();
  await expect(page.getByText(/jobs\.read/)).toBeVisible();
  await expectSound(page, "edits-draft");
  await page.getByRole("button", { name: "Apply cluster update" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill("as agreed");
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText(/Revision \d+ is in force/)).toBeVisible();

  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByRole("cell", { name: "as agreed" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("region", { name: "roles night-shift" })).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${server.url}/ui/edits/nodes`);
  await expect(page.getByText("current").first()).toBeVisible();
  await expectAccessible(page);
});

test("two editors see each other, and only one who is alone may apply", async ({
  page,
  server,
  browser,
}) => {
  await addBen(server);
  await enterAs(page, server, admin.user, admin.password);
  await begin(page, "mine");
  const other = await browser.newContext({ ignoreHTTPSErrors: true });
  const bens = await other.newPage();
  await enterAs(bens, server, ben.name, ben.password);
  await begin(bens, "his");

  await expect(page.getByText("ben edits, too").first()).toBeVisible();
  const apply = page.getByRole("button", { name: "Apply cluster update" });
  await expect(apply).toHaveAttribute("aria-disabled", "true");
  await expect(page.locator("#apply-reason")).toContainText("ben");
  await expectSound(page, "edits-two");

  await bens.getByRole("row", { name: /ben/ }).getByRole("button", { name: "End…" }).click();
  await bens.getByRole("dialog").getByRole("button", { name: "End" }).click();
  await expect(bens.getByText("The session was ended")).toBeVisible();
  await expect(page.locator("#apply-reason")).not.toContainText("ben");
  await other.close();
});

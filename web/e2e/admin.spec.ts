import { withOwnServer } from "./support/own";
import { enter, expect, expectAccessible, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

test("a user is added with a role, enters, and sees what the role allows", async ({
  page,
  server,
  browser,
}) => {
  await enter(page, server, "/admin");
  await expect(page.getByRole("cell", { name: /admin/ }).first()).toBeVisible();
  await page.getByRole("button", { name: "Add user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: /^Name/ }).fill("vera");
  await expect(dialog.getByRole("combobox", { name: "Role 1", exact: true })).toHaveValue("viewer");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const password = await page.getByLabel("The password of vera").last().inputValue();
  expect(password.length).toBeGreaterThan(12);
  await page.getByRole("button", { name: "I have it" }).click();
  await expect(page.getByRole("cell", { name: "vera", exact: true })).toBeVisible();
  await expectSound(page, "admin-users");

  const other = await browser.newContext({ ignoreHTTPSErrors: true });
  const veras = await other.newPage();
  await veras.goto(`${server.url}/ui/`);
  await veras.getByLabel("User").fill("vera");
  await veras.getByLabel("Password").fill(password);
  await veras.getByRole("button", { name: "Log in" }).click();
  await expect(veras.getByLabel("Password so far")).toBeVisible();
  await other.close();
});

test("a role is made of rights", async ({ page, server }) => {
  await enter(page, server, "/admin/roles");
  await page.getByRole("button", { name: "Add role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("night-shift");
  await dialog.getByLabel("jobs.read").check();
  await dialog.getByLabel("fleet.read").check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("cell", { name: "night-shift", exact: true })).toBeVisible();
  await expectSound(page, "admin-roles");
});

test("a token is made, shown once, works, and is ended", async ({ page, server, request }) => {
  await enter(page, server, "/admin/tokens");
  await page.getByRole("button", { name: "Make a token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What for").fill("pipeline");
  await dialog.getByRole("button", { name: "Make", exact: true }).click();
  const secret = await page.getByLabel("The new token").last().inputValue();
  const answer = await request.get(`${server.url}/api/v1/me`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  expect(answer.ok()).toBe(true);
  await page.getByRole("button", { name: "I have it" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "End…" }).click();
  await page.getByRole("button", { name: "End it" }).click();
  await expect(page.getByRole("heading", { name: "admin has no tokens" })).toBeVisible();
});

test("the audit trail, sessions and the cluster are shown", async ({ page, server }) => {
  await enter(page, server, "/admin/audit");
  await expect(page.getByRole("cell", { name: "users.add" })).toBeVisible();
  await page.getByLabel("What").fill("roles.add");
  await page.getByRole("button", { name: "Look" }).click();
  await expect(page.getByRole("cell", { name: "users.add" })).toHaveCount(0);
  await expect(page.getByRole("cell", { name: "roles.add" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("tab", { name: "Sessions" }).click();
  await expect(page.getByRole("cell", { name: "127.0.0.1" }).first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("tab", { name: "Cluster" }).click();
  await expect(page.getByText("answers").first()).toBeVisible();
  await expect(page.getByRole("link", { name: "API documentation" })).toHaveAttribute(
    "href",
    "/docs",
  );
  await expectSound(page, "admin-cluster");
});

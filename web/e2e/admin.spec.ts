import type { Page } from "@playwright/test";
import { withOwn } from "./support/own";
import { Receiver } from "./support/receiver";
import { Server } from "./support/server";
import { enter, expect, expectAccessible, expectSound, logIn } from "./support/test";

const test = withOwn(
  () => new Server(),
  (server) => server.open("--webhooks-plain-http", "true"),
);

test.describe.configure({ mode: "serial" });

const chosen = "three blind horses at noon";
let password = ""; // of vera

async function logInAs(page: Page, server: Server, user: string, secret: string) {
  await page.goto(`${server.url}/ui/`);
  await logIn(page, user, secret);
}

async function choose(page: Page, user: string, item: string) {
  await page.getByRole("button", { name: `Actions for ${user}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function takeSecret(page: Page, label: string): Promise<string> {
  const secret = await page.getByLabel(label).last().inputValue();
  await page.getByRole("button", { name: "Done" }).click();
  return secret;
}

test("a user is added with a role, chooses a password, and sees what the role allows", async ({
  page,
  server,
  another,
  watched,
}) => {
  watched.allow(/status of 40[13]/);
  await enter(page, server, "/admin");
  await expect(page.getByRole("cell", { name: /admin/ }).first()).toBeVisible();
  await page.getByRole("button", { name: "Create user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: /^Name/ }).fill("vera");
  await expect(dialog.getByRole("combobox", { name: "Role 1", exact: true })).toHaveValue("viewer");
  await dialog.getByRole("button", { name: "Create user" }).click();
  password = await takeSecret(page, "New password of vera");
  expect(password.length).toBeGreaterThan(12);
  await expect(page.getByRole("cell", { name: "vera", exact: true })).toBeVisible();
  await expectSound(page, "admin-users");

  const veras = await another();
  await logInAs(veras, server, "vera", password);
  await expect(veras.getByLabel("Current password")).toBeVisible();
  await expectSound(veras, "choose-password");
  const button = veras.getByRole("button", { name: "Change password" });
  await veras.getByLabel("Current password").fill("not the one");
  await veras.getByLabel("New password").first().fill(chosen);
  await veras.getByLabel("Confirm new password").fill(`${chosen}!`);
  await expect(button).toBeDisabled();
  await veras.getByLabel("Confirm new password").fill(chosen);
  await button.click();
  await expect(veras.getByRole("heading", { level: 2 })).toContainText(/password/i);
  await veras.getByLabel("Current password").fill(password);
  await button.click();

  await expect(veras.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await veras.goto(`${server.url}/ui/search`);
  await expect(veras.getByRole("heading", { level: 1, name: "Search" })).toBeVisible();
  await expect(veras.getByRole("button", { name: "Run…" })).toHaveCount(0);
  password = chosen;
});

test("a user is changed, given another password, and locked out and in", async ({
  page,
  server,
  another,
  watched,
}) => {
  watched.allow(/status of 40[13]/);
  await enter(page, server, "/admin/users");
  const row = page.getByRole("row", { name: /vera/ });
  await choose(page, "vera", "Edit…");
  await page.getByRole("dialog").getByLabel("Full name").fill("Vera Night");
  await page.getByRole("dialog").getByRole("button", { name: "Save user" }).click();
  await expect(row).toContainText("Vera Night");

  await choose(page, "vera", "Reset password…");
  await page.getByRole("dialog").getByRole("button", { name: "Reset password" }).click();
  const fresh = await takeSecret(page, "New password of vera");
  expect(fresh).not.toBe(password);
  const veras = await another();
  await logInAs(veras, server, "vera", password);
  await expect(veras.getByText("Wrong user name or password")).toBeVisible();
  await veras.getByLabel("Password").fill(fresh);
  await veras.keyboard.press("Enter");
  await expect(veras.getByLabel("Current password")).toBeVisible();

  await choose(page, "vera", "Disable…");
  await page.getByRole("dialog").getByRole("button", { name: "Disable user" }).click();
  await expect(row.getByText("Disabled")).toBeVisible();
  await logInAs(veras, server, "vera", fresh);
  await expect(veras.getByText("Wrong user name or password")).toBeVisible();
  await choose(page, "vera", "Enable");
  await expect(row.getByText("Enabled")).toBeVisible();
  await logInAs(veras, server, "vera", fresh);
  await expect(veras.getByLabel("Current password")).toBeVisible();

  await veras.context().clearCookies();
  await logInAs(veras, server, "vera", "not this one");
  await expect(veras.getByText("Wrong user name or password")).toBeVisible();
  await choose(page, "vera", "Unlock");
  await expect(page.getByText("User vera unlocked")).toBeVisible();
});

test("a role is made of rights, changed, and removed", async ({ page, server }) => {
  await enter(page, server, "/admin/roles");
  await page.getByRole("button", { name: "Create role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("night-shift");
  await dialog.getByLabel("jobs.read").check();
  await dialog.getByLabel("fleet.read").check();
  await dialog.getByRole("button", { name: "Create role" }).click();
  const row = page.getByRole("row", { name: /night-shift/ });
  await expect(row.getByText("jobs.read")).toBeVisible();
  await expectSound(page, "admin-roles");

  await row.getByRole("button", { name: "Edit…" }).click();
  await dialog.getByLabel("jobs.run").check();
  await dialog.getByLabel("fleet.read").uncheck();
  await dialog.getByLabel("Description").fill("who is awake");
  await dialog.getByRole("button", { name: "Save role" }).click();
  await expect(row.getByText("jobs.run")).toBeVisible();
  await expect(row.getByText("fleet.read")).toHaveCount(0);
  await expect(row).toContainText("who is awake");
});

test("a role that somebody has is not removed, and goes when nobody has it", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(/status of 409/);
  await enter(page, server, "/admin/users");
  await choose(page, "vera", "Edit…");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Role 1", exact: true }).selectOption("night-shift");
  await dialog.getByRole("button", { name: "Save user" }).click();
  await expect(page.getByRole("row", { name: /vera/ })).toContainText("night-shift");

  await page.getByRole("tab", { name: "Roles" }).click();
  const row = page.getByRole("row", { name: /night-shift/ });
  await row.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete role" }).click();
  await expect(page.getByText("Cannot delete role night-shift")).toBeVisible();
  await expect(row).toBeVisible();

  await page.getByRole("tab", { name: "Users" }).click();
  await choose(page, "vera", "Delete…");
  await expect(dialog.getByRole("button", { name: "Delete user" })).toBeDisabled();
  await dialog.getByLabel(/Type/).fill("vera");
  await dialog.getByRole("button", { name: "Delete user" }).click();
  await expect(page.getByText("User vera deleted")).toBeVisible();
  await expect(page.getByRole("cell", { name: /vera/ })).toHaveCount(0);

  await page.getByRole("tab", { name: "Roles" }).click();
  await row.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete role" }).click();
  await expect(page.getByText("Role night-shift deleted")).toBeVisible();
  await expect(row).toHaveCount(0);
});

test("a token is made with few rights, shown once, works, and is ended", async ({
  page,
  server,
  playwright,
}) => {
  await enter(page, server, "/admin/tokens");
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Purpose").fill("pipeline");
  await dialog.getByLabel("Rights").fill("fleet.read");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const secret = await takeSecret(page, "New token");
  const program = await playwright.request.newContext({
    baseURL: server.url,
    ignoreHTTPSErrors: true,
    extraHTTPHeaders: { Authorization: `Bearer ${secret}` },
  });
  expect((await program.get("/api/v1/systems")).status()).toBe(200);
  expect((await program.get("/api/v1/audit")).status()).toBe(403);
  await expect(page.getByRole("cell", { name: "fleet.read" })).toBeVisible();
  await expectSound(page, "admin-tokens");
  await page.getByRole("button", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Revoke token" }).click();
  await expect(page.getByRole("heading", { name: "No tokens of admin" })).toBeVisible();
  await expect.poll(async () => (await program.get("/api/v1/systems")).status()).toBe(401);
  await program.dispose();
});

test("a program of its own gets a token from who may change it", async ({ page, server }) => {
  await enter(page, server, "/admin/users");
  await page.getByRole("button", { name: "Create user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: /^Name/ }).fill("robot");
  await dialog.getByLabel(/Service account/).check();
  await dialog.getByRole("button", { name: "Create user" }).click();
  await expect(page.getByRole("row", { name: /robot/ })).toContainText("Service account");

  await choose(page, "robot", "Show tokens");
  await page.getByRole("button", { name: "Create token" }).click();
  await dialog.getByLabel("Purpose").fill("nightly");
  await dialog.getByRole("button", { name: "Create token" }).click();
  expect(await takeSecret(page, "New token")).toMatch(/^mst_/);
  await expect(page.getByRole("row", { name: /nightly/ })).toContainText("robot");
  await page.getByRole("combobox", { name: "User" }).selectOption("Your tokens");
  await expect(page.getByRole("heading", { name: "No tokens of admin" })).toBeVisible();
});

test("the audit trail is narrowed by who and what", async ({ page, server }) => {
  await enter(page, server, "/admin/audit");
  await expect(page.getByRole("cell", { name: "users.create" }).first()).toBeVisible();
  await page.getByRole("textbox", { name: "Operation" }).fill("roles.create");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("cell", { name: "users.create" })).toHaveCount(0);
  await expect(page.getByRole("cell", { name: "roles.create" })).toBeVisible();
  await expect(page).toHaveURL(/what=roles\.create/);
  await page.getByRole("textbox", { name: "User" }).fill("nobody-like-that");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("heading", { name: "No audit entries match" })).toBeVisible();
  await page.getByRole("textbox", { name: "User" }).fill("admin");
  await page.getByRole("textbox", { name: "Operation" }).fill("");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByRole("cell", { name: "users.remove" })).toBeVisible();
  await expectSound(page, "admin-audit");
});

test("sessions and the cluster are shown", async ({ page, server }) => {
  await enter(page, server, "/admin/sessions");
  await expect(page.getByRole("cell", { name: "127.0.0.1" }).first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("tab", { name: "Cluster" }).click();
  await expect(page.getByText("Available").first()).toBeVisible();
  await expect(page.getByRole("link", { name: "API documentation" })).toHaveAttribute(
    "href",
    "/docs",
  );
  await expectSound(page, "admin-cluster");
});

test("events are sent to a webhook, signed, until it is removed", async ({ page, server }) => {
  const receiver = await Receiver.open();
  await enter(page, server, "/admin/settings");
  await expect(page.getByText(/^No webhooks/)).toBeVisible();
  await page.getByRole("button", { name: "Add webhook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("chat");
  await dialog.getByLabel("URL").fill(receiver.url);
  await dialog.getByLabel("Events").fill("job.*");
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  const secret = await takeSecret(page, "Webhook secret");
  const row = page.getByRole("table", { name: "Webhooks" }).getByRole("row", { name: /chat/ });
  await expect(row).toContainText("job.*");

  const job = await server.post<{ id: string }>("/api/v1/jobs", {
    query: "name:nobody",
    function: "test.ping",
    allow_empty: true,
  });
  await expect.poll(() => receiver.has(job.id, secret)).toBe(true);
  await page.reload();
  await expect(row.getByRole("cell", { name: /^[1-9]\d*$/ })).toBeVisible();
  await expectSound(page, "admin-webhooks");
  await row.getByRole("button", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByText(/^No webhooks/)).toBeVisible();
  receiver.close();
});

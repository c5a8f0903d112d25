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
  await page.getByRole("button", { name: `Actions of ${user}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function takeSecret(page: Page, label: string): Promise<string> {
  const secret = await page.getByLabel(label).last().inputValue();
  await page.getByRole("button", { name: "I have it" }).click();
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
  await page.getByRole("button", { name: "Add user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: /^Name/ }).fill("vera");
  await expect(dialog.getByRole("combobox", { name: "Role 1", exact: true })).toHaveValue("viewer");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  password = await takeSecret(page, "The password of vera");
  expect(password.length).toBeGreaterThan(12);
  await expect(page.getByRole("cell", { name: "vera", exact: true })).toBeVisible();
  await expectSound(page, "admin-users");

  const veras = await another();
  await logInAs(veras, server, "vera", password);
  await expect(veras.getByLabel("Password so far")).toBeVisible();
  await expectSound(veras, "choose-password");
  const button = veras.getByRole("button", { name: "Change password" });
  await veras.getByLabel("Password so far").fill("not the one");
  await veras.getByLabel("New password").first().fill(chosen);
  await veras.getByLabel("New password, again").fill(`${chosen}!`);
  await expect(button).toBeDisabled();
  await veras.getByLabel("New password, again").fill(chosen);
  await button.click();
  await expect(veras.getByRole("heading", { level: 2 })).toContainText(/password/i);
  await veras.getByLabel("Password so far").fill(password);
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
  await choose(page, "vera", "Change…");
  await page.getByRole("dialog").getByLabel("Full name").fill("Vera Night");
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await expect(row).toContainText("Vera Night");

  await choose(page, "vera", "Give another password…");
  await page.getByRole("dialog").getByRole("button", { name: "Give" }).click();
  const fresh = await takeSecret(page, "The password of vera");
  expect(fresh).not.toBe(password);
  const veras = await another();
  await logInAs(veras, server, "vera", password);
  await expect(veras.getByText("User or password are not right")).toBeVisible();
  await veras.getByLabel("Password").fill(fresh);
  await veras.keyboard.press("Enter");
  await expect(veras.getByLabel("Password so far")).toBeVisible();

  await choose(page, "vera", "Disable…");
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await expect(row.getByText("disabled")).toBeVisible();
  await logInAs(veras, server, "vera", fresh);
  await expect(veras.getByText("User or password are not right")).toBeVisible();
  await choose(page, "vera", "Enable");
  await expect(row.getByText("enabled")).toBeVisible();
  await logInAs(veras, server, "vera", fresh);
  await expect(veras.getByLabel("Password so far")).toBeVisible();

  await veras.context().clearCookies();
  await logInAs(veras, server, "vera", "not this one");
  await expect(veras.getByText("User or password are not right")).toBeVisible();
  await choose(page, "vera", "Unlock");
  await expect(page.getByText("vera may try again at once")).toBeVisible();
});

test("a role is made of rights, changed, and removed", async ({ page, server }) => {
  await enter(page, server, "/admin/roles");
  await page.getByRole("button", { name: "Add role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("night-shift");
  await dialog.getByLabel("jobs.read").check();
  await dialog.getByLabel("fleet.read").check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const row = page.getByRole("row", { name: /night-shift/ });
  await expect(row.getByText("jobs.read")).toBeVisible();
  await expectSound(page, "admin-roles");

  await row.getByRole("button", { name: "Change…" }).click();
  await dialog.getByLabel("jobs.run").check();
  await dialog.getByLabel("fleet.read").uncheck();
  await dialog.getByLabel("What it is for").fill("who is awake");
  await dialog.getByRole("button", { name: "Change" }).click();
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
  await choose(page, "vera", "Change…");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Role 1", exact: true }).selectOption("night-shift");
  await dialog.getByRole("button", { name: "Change" }).click();
  await expect(page.getByRole("row", { name: /vera/ })).toContainText("night-shift");

  await page.getByRole("tab", { name: "Roles" }).click();
  const row = page.getByRole("row", { name: /night-shift/ });
  await row.getByRole("button", { name: "Remove…" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Not removed")).toBeVisible();
  await expect(row).toBeVisible();

  await page.getByRole("tab", { name: "Users" }).click();
  await choose(page, "vera", "Remove…");
  await expect(dialog.getByRole("button", { name: "Remove" })).toBeDisabled();
  await dialog.getByLabel(/Type/).fill("vera");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("vera was removed")).toBeVisible();
  await expect(page.getByRole("cell", { name: /vera/ })).toHaveCount(0);

  await page.getByRole("tab", { name: "Roles" }).click();
  await row.getByRole("button", { name: "Remove…" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("night-shift was removed")).toBeVisible();
  await expect(row).toHaveCount(0);
});

test("a token is made with few rights, shown once, works, and is ended", async ({
  page,
  server,
  playwright,
}) => {
  await enter(page, server, "/admin/tokens");
  await page.getByRole("button", { name: "Make a token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What for").fill("pipeline");
  await dialog.getByLabel("Only these rights").fill("fleet.read");
  await dialog.getByRole("button", { name: "Make", exact: true }).click();
  const secret = await takeSecret(page, "The new token");
  const program = await playwright.request.newContext({
    baseURL: server.url,
    ignoreHTTPSErrors: true,
    extraHTTPHeaders: { Authorization: `Bearer ${secret}` },
  });
  expect((await program.get("/api/v1/systems")).status()).toBe(200);
  expect((await program.get("/api/v1/audit")).status()).toBe(403);
  await expect(page.getByRole("cell", { name: "fleet.read" })).toBeVisible();
  await expectSound(page, "admin-tokens");
  await page.getByRole("button", { name: "End…" }).click();
  await page.getByRole("button", { name: "End it" }).click();
  await expect(page.getByRole("heading", { name: "admin has no tokens" })).toBeVisible();
  await expect.poll(async () => (await program.get("/api/v1/systems")).status()).toBe(401);
  await program.dispose();
});

test("a program of its own gets a token from who may change it", async ({ page, server }) => {
  await enter(page, server, "/admin/users");
  await page.getByRole("button", { name: "Add user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: /^Name/ }).fill("robot");
  await dialog.getByLabel(/A program/).check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("row", { name: /robot/ })).toContainText("service");

  await choose(page, "robot", "Tokens");
  await page.getByRole("button", { name: "Make a token" }).click();
  await dialog.getByLabel("What for").fill("nightly");
  await dialog.getByRole("button", { name: "Make", exact: true }).click();
  expect(await takeSecret(page, "The new token")).toMatch(/^mst_/);
  await expect(page.getByRole("row", { name: /nightly/ })).toContainText("robot");
  await page.getByLabel("Whose tokens").selectOption("your own");
  await expect(page.getByRole("heading", { name: "admin has no tokens" })).toBeVisible();
});

test("the audit trail is narrowed by who and what", async ({ page, server }) => {
  await enter(page, server, "/admin/audit");
  await expect(page.getByRole("cell", { name: "users.add" }).first()).toBeVisible();
  await page.getByLabel("What").fill("roles.add");
  await page.getByRole("button", { name: "Look" }).click();
  await expect(page.getByRole("cell", { name: "users.add" })).toHaveCount(0);
  await expect(page.getByRole("cell", { name: "roles.add" })).toBeVisible();
  await expect(page).toHaveURL(/what=roles\.add/);
  await page.getByLabel("Who").fill("nobody-like-that");
  await page.getByRole("button", { name: "Look" }).click();
  await expect(page.getByRole("heading", { name: "Nobody did such a thing" })).toBeVisible();
  await page.getByLabel("Who").fill("admin");
  await page.getByLabel("What").fill("");
  await page.getByRole("button", { name: "Look" }).click();
  await expect(page.getByRole("cell", { name: "users.remove" })).toBeVisible();
  await expectSound(page, "admin-audit");
});

test("sessions and the cluster are shown", async ({ page, server }) => {
  await enter(page, server, "/admin/sessions");
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

test("events are sent to a webhook, signed, until it is removed", async ({ page, server }) => {
  const receiver = await Receiver.open();
  await enter(page, server, "/admin/settings");
  await expect(page.getByText("Events are sent to nobody.")).toBeVisible();
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("chat");
  await dialog.getByLabel("Address").fill(receiver.url);
  await dialog.getByLabel("Events").fill("job.*");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const secret = await takeSecret(page, "The webhook's secret");
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
  await row.getByRole("button", { name: "Remove…" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Events are sent to nobody.")).toBeVisible();
  receiver.close();
});

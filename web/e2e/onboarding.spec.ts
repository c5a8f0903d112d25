// What is decided about systems that wait, and what is decided beforehand.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { withOwnServer } from "./support/own";
import { eventually, type Server } from "./support/server";
import { enter, expect, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

interface Key {
  stage: string;
  tags: string[];
  groups: string[];
  accepted_by: string;
}

async function only(page: Page, expression: string, count: string) {
  await page.getByRole("combobox", { name: "Filter systems" }).fill(expression);
  await expect(page.getByText(count, { exact: true })).toBeVisible();
}

async function decide(page: Page, button: string, action: string) {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("dialog").getByRole("button", { name: action }).click();
}

async function accepted(server: Server, name: string): Promise<Key> {
  return eventually(`${name} is accepted`, async () => {
    const key = await server.get<Key>(`/api/v1/keys/${name}`);
    return key.stage === "accepted" && key;
  });
}

test("tags and groups are given before acceptance, and stay", async ({ page, server }) => {
  test.slow();
  await Promise.all(["web1", "web2", "db1", "db2"].map((name) => server.agent(name)));
  await enter(page, server, "/onboarding");
  await page.getByRole("checkbox", { name: "Select web1" }).check();
  await page.getByRole("button", { name: "Tags and groups…" }).click();
  const dialog = page.getByRole("dialog", { name: "Tags and groups of 1 system" });
  await dialog.getByLabel("Tags").fill("edge");
  await dialog.getByLabel("Groups").fill("front");
  await dialog.getByRole("button", { name: "Add" }).click();
  const row = page.getByRole("row", { name: /web1/ });
  await expect(row.getByText("edge")).toBeVisible();
  await expect(row.getByText("front")).toBeVisible();
});

test("an expression is typed, and all that it means are accepted", async ({ page, server }) => {
  await enter(page, server, "/onboarding");
  await only(page, "web*", "2 systems");
  await expect(page.getByRole("button", { name: "Accept…" })).toBeDisabled();
  await page.getByRole("button", { name: "Select all 2 matching" }).click();
  await expect(page.getByText("All 2 matching selected")).toBeVisible();
  await page.getByRole("button", { name: "Accept…" }).click();
  const dialog = page.getByRole("dialog", { name: "Accept 2 systems" });
  await dialog.getByLabel("Tags").fill("web");
  await dialog.getByLabel("Accept as new").check();
  await expectSound(page, "onboarding-accept");
  await dialog.getByRole("button", { name: "Accept" }).click();
  await expect(page.getByText("2 systems changed")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No systems match this query" })).toBeVisible();
  await only(page, "", "2 systems");
  await expect(page.getByRole("button", { name: "db1" })).toBeVisible();

  const web1 = await accepted(server, "web1");
  expect(web1.tags.sort()).toEqual(["edge", "web"]);
  expect(web1.groups).toEqual(["front"]);
});

test("who is rejected may be accepted later, one by one", async ({ page, server }) => {
  await enter(page, server, "/onboarding");
  await page.getByRole("checkbox", { name: "Select db1" }).check();
  await decide(page, "Reject…", "Reject");
  await expect(page.getByText("1 system changed")).toBeVisible();
  await expect(page.getByRole("button", { name: "db1" })).toHaveCount(0);
  await page.getByRole("tab", { name: "Rejected (1)" }).click();
  await expect(page.getByRole("button", { name: "db1" })).toBeVisible();
  await expectSound(page, "onboarding-rejected");
  await expect(page.getByRole("button", { name: "Accept…" })).toBeDisabled();

  await page.getByRole("checkbox", { name: "Select db1" }).check();
  await page.getByRole("button", { name: "Accept…" }).click();
  await page.getByRole("dialog").getByLabel("Accept as new").check();
  await page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
  await expect(page.getByRole("heading", { name: "No rejected systems" })).toBeVisible();
  await accepted(server, "db1");
});

test("who is banned never comes back, and its agent stops", async ({ page, server }) => {
  const agent = await server.agent("db3");
  await enter(page, server, "/onboarding");
  await page.getByRole("checkbox", { name: "Select db3" }).check();
  await page.getByRole("button", { name: "Ban…" }).click();
  const dialog = page.getByRole("dialog", { name: "Ban 1 system permanently?" });
  await expect(dialog.getByRole("button", { name: "Ban permanently" })).toBeDisabled();
  await dialog.getByLabel(/Type/).fill("ban 1");
  await dialog.getByRole("button", { name: "Ban permanently" }).click();
  await expect(page.getByText("1 system changed")).toBeVisible();
  await page.getByRole("tab", { name: "Banned (1)" }).click();
  await expect(page.getByRole("button", { name: "db3" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Accept…" })).toHaveCount(0);
  await expectSound(page, "onboarding-banned");
  await expect.poll(() => agent.exitCode).not.toBeNull();
});

test("a rule takes in whom it names, and is removed", async ({ page, server }) => {
  await enter(page, server, "/onboarding?tab=rules");
  await expect(page.getByRole("heading", { name: "No accept rules" })).toBeVisible();
  await page.getByRole("button", { name: "Create accept rule…" }).click();
  const dialog = page.getByRole("dialog", { name: "Create accept rule" });
  await dialog.getByLabel("Name").first().fill("caches");
  await dialog.getByLabel("System names").fill("cache*");
  await dialog.getByLabel("Tags").fill("cache");
  await dialog.getByRole("button", { name: "Create rule" }).click();
  const row = page.getByRole("row", { name: /caches/ });
  await expect(row).toContainText("name matches cache*");
  await expectSound(page, "onboarding-rules");

  await server.agent("cache1");
  const key = await accepted(server, "cache1");
  expect(key.tags).toEqual(["cache"]);
  await page.goto(`${server.url}/ui/systems/cache1`);
  await expect(page.getByRole("heading", { level: 1, name: "cache1" })).toBeVisible();

  await page.goto(`${server.url}/ui/onboarding?tab=rules`);
  await row.getByRole("button", { name: "Delete rule caches" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete rule" }).click();
  await expect(page.getByRole("heading", { name: "No accept rules" })).toBeVisible();
});

test("a token takes in the one that shows it", async ({ page, server }) => {
  await enter(page, server, "/onboarding?tab=rules");
  await page.getByRole("button", { name: "Create enrolment token…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Tags").fill("vip");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const token = await dialog.getByLabel("Token").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();

  const file = join(server.data, "token");
  writeFileSync(file, token, { mode: 0o600 });
  await server.agent("vip1", "--enrolment-token-file", file);
  const key = await accepted(server, "vip1");
  expect(key.tags).toEqual(["vip"]);
});

// What can be done with those that were found: each action, on real agents.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { withOwnServer } from "./support/own";
import { admin, type Server } from "./support/server";
import { enter, expect, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

interface Key {
  number: number;
  stage: string;
}

async function find(page: Page, expression: string, count: string) {
  await page.getByRole("combobox", { name: "Query" }).fill(expression);
  // The address follows when what is found does.
  await expect(page).toHaveURL((url) => url.searchParams.get("q") === expression);
  await expect(page.getByText(count, { exact: true })).toBeVisible();
}

async function choose(page: Page, item: string) {
  await page.getByRole("button", { name: "Actions", exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

// Nothing can be done before something is selected.
async function selectAll(page: Page, count: number) {
  await expect(page.getByText("No systems selected")).toBeVisible();
  await expect(page.getByRole("button", { name: "Actions", exact: true })).toBeDisabled();
  await page.getByRole("button", { name: `Select all ${count} matching` }).click();
  await expect(page.getByText(`All ${count} matching selected`)).toBeVisible();
}

// A file that a system has by its configuration channel. Channels are edited by the compatible API.
async function giveFile(server: Server, to: string, path: string, contents: string) {
  const ask = async (method: string, data: object) => {
    const answer = await server.api.post(`/rhn/manager/api/${method}`, { data });
    expect(await answer.text()).toContain('"success":true');
  };
  const system = await server.get<Key>(`/api/v1/keys/${to}`);
  await ask("auth/login", { login: admin.user, password: admin.password });
  await ask("configchannel/create", { label: "motd", name: "Motd", description: "for all" });
  await ask("configchannel/createOrUpdatePath", {
    label: "motd",
    path,
    isDir: false,
    pathInfo: { contents, owner: "", group: "", permissions: "644" },
  });
  await ask("system/config/addChannels", {
    sids: [system.number],
    configChannelLabels: ["motd"],
    addToTop: false,
  });
}

test("columns are chosen, and stay", async ({ page, server }) => {
  test.slow();
  await server.fleet(["web1", "web2", "web3"], { tags: ["web"] });
  await enter(page, server, "/search?q=web*");
  const table = page.getByRole("table", { name: "Matching systems" });
  await expect(table.getByRole("columnheader", { name: "Node" })).toBeVisible();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitem", { name: "Node", exact: true }).click();
  await page.getByRole("menuitem", { name: "Number" }).click();
  await page.keyboard.press("Escape");
  await expect(table.getByRole("columnheader", { name: "Node" })).toHaveCount(0);

  await page.reload();
  await expect(table.getByRole("columnheader", { name: "Number" })).toBeVisible();
  await expect(table.getByRole("columnheader", { name: "Node" })).toHaveCount(0);
  await page.getByRole("button", { name: "Copy as CLI" }).click();
  await expect(page.getByLabel("Command", { exact: true })).toHaveValue("muster search 'web*'");
  await expectSound(page, "search-columns");
});

test("a command is run on those picked and on nobody else", async ({ page, server }) => {
  await enter(page, server, "/search?q=tag:web");
  await page.getByRole("checkbox", { name: "Select web1" }).check();
  await page.getByRole("checkbox", { name: "Select web3" }).check();
  await page.getByRole("button", { name: "Run…" }).click();
  await page.getByLabel("Command").fill("echo picked");
  await page.getByRole("button", { name: "Run on 2 systems" }).click();
  await expect(page.getByText("2 of 2 systems finished")).toBeVisible();
  await page.getByRole("tab", { name: /Systems/ }).click();
  for (const name of ["web1", "web3"]) await expect(page.getByRole("link", { name })).toBeVisible();
  await expect(page.getByRole("link", { name: "web2" })).toHaveCount(0);
});

test("those picked stay so by another expression, and who is not found by it is told", async ({
  page,
  server,
}) => {
  await enter(page, server, "/search?q=tag:web");
  await page.getByRole("checkbox", { name: "Select web1" }).check();
  await page.getByRole("checkbox", { name: "Select web3" }).check();
  await find(page, "web*", "3 systems");
  await expect(page.getByText("2 systems selected")).toBeVisible();
  await expect(page.getByText("not match this query")).toHaveCount(0);

  await find(page, "web1 or web2", "2 systems");
  await expect(page.getByText("1 selected system does not match this query")).toBeVisible();
  await expect(page.getByText("1 system selected")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "Select web1" })).toBeChecked();
  await expectSound(page, "search-dropped");
  await page.getByRole("button", { name: "Copy as CLI" }).click();
  await expect(page.getByLabel("Command", { exact: true })).toHaveValue(
    /^muster search number:\d+$/,
  );
  await page.keyboard.press("Escape");

  await find(page, "web2", "1 system");
  await expect(page.getByText("2 selected systems do not match this query")).toBeVisible();
  await expect(page.getByRole("button", { name: "Actions", exact: true })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Select all 1 matching" })).toBeVisible();
  await find(page, "web*", "3 systems");
  await expect(page.getByText("2 systems selected")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: "Select web2" })).not.toBeChecked();
  await expect(page.getByText("not match this query")).toHaveCount(0);
});

test("who is picked before the expression was counted stays picked", async ({ page, server }) => {
  await enter(page, server, "/search?q=tag:web");
  const pick = page.getByRole("checkbox", { name: "Select web3" });
  await expect(pick).toBeVisible();
  await page.getByRole("combobox", { name: "Query" }).fill("web2 or web3");
  await pick.check();
  await expect(page).toHaveURL(/web2/);
  await expect(page.getByText("2 systems", { exact: true })).toBeVisible();
  await expect(page.getByText("1 system selected")).toBeVisible();
  await expect(pick).toBeChecked();
});

test("those found are put into a group, and out of it again", async ({ page, server }) => {
  await enter(page, server, "/search?q=web1 or web2");
  await expect(page.getByText("2 systems", { exact: true })).toBeVisible();
  await selectAll(page, 2);
  await choose(page, "Groups…");
  const dialog = page.getByRole("dialog", { name: "Change groups of 2 systems" });
  await dialog.getByLabel("Add groups").fill("front");
  await dialog.getByRole("button", { name: "Change groups" }).click();
  await expect(page.getByText("2 systems changed")).toBeVisible();
  await find(page, "group:front", "2 systems");

  await page.getByRole("checkbox", { name: "Select web2" }).check();
  await choose(page, "Groups…");
  const groupDialog = page.getByRole("dialog", { name: "Change groups of 1 system" });
  await groupDialog.getByLabel("Remove groups").fill("front");
  await groupDialog.getByRole("button", { name: "Change groups" }).click();
  await expect(page.getByText("1 system", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: "web2" })).toHaveCount(0);
  await expect(page.getByText("1 selected system does not match this query")).toBeVisible();
});

test("configuration is compared, then written", async ({ page, server }) => {
  const path = join(server.data, "applied", "motd");
  await giveFile(server, "web1", path, "hello\n");
  await enter(page, server, "/search?q=tag:web");
  await expect(page.getByText("3 systems", { exact: true })).toBeVisible();
  await selectAll(page, 3);
  await choose(page, "Apply configuration…");
  const dialog = page.getByRole("dialog", { name: "Apply configuration to 3 systems" });
  await expect(dialog.getByText(`1 system: ${path}`)).toBeVisible();
  await expect(dialog.getByText("2 systems without configuration files skipped")).toBeVisible();
  await expectSound(page, "apply-files");
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(page.getByText("1 of 1 systems finished")).toBeVisible();
  await page.getByRole("button", { name: "Show output and systems" }).click();
  await expect(page.getByText(/differs/).first()).toBeVisible();
  expect(() => readFileSync(path)).toThrow();

  await page.goto(`${server.url}/ui/search?q=tag:web`);
  await expect(page.getByText("3 systems", { exact: true })).toBeVisible();
  await selectAll(page, 3);
  await choose(page, "Apply configuration…");
  await dialog.getByLabel(/Compare only/).uncheck();
  await dialog.getByRole("button", { name: "Apply configuration", exact: true }).click();
  await expect(page.getByText("1 of 1 systems finished")).toBeVisible();
  await expect(page.getByText("completed 1")).toBeVisible();
  expect(readFileSync(path, "utf8")).toBe("hello\n");
});

test("those picked move to another zone", async ({ page, server }) => {
  await server.post("/api/v1/zones", { name: "lab" });
  await enter(page, server, "/search?q=tag:web");
  await page.getByRole("checkbox", { name: "Select web3" }).check();
  await choose(page, "Move to zone…");
  const dialog = page.getByRole("dialog", { name: "Move 1 system to another zone" });
  await dialog.getByLabel("Zone").selectOption("lab");
  await dialog.getByRole("button", { name: "Move systems" }).click();
  await expect(page.getByText("1 system changed")).toBeVisible();
  await find(page, "zone:lab", "1 system");
  await expect(page.getByRole("link", { name: "web3" })).toBeVisible();
});

test("those found are deleted after the words were typed, and who waits is not banned", async ({
  page,
  server,
}) => {
  await server.agent("web9");
  await enter(page, server, "/search?q=web*");
  await expect(page.getByText("3 systems", { exact: true })).toBeVisible();
  await selectAll(page, 3);
  await choose(page, "Delete…");
  const dialog = page.getByRole("dialog", { name: "Delete 3 systems permanently" });
  const button = dialog.getByRole("button", { name: "Delete permanently" });
  await dialog.getByLabel(/Type/).fill("delete 2");
  await expect(button).toBeDisabled();
  await dialog.getByLabel(/Type/).fill("delete 3");
  await button.click();
  await expect(page.getByText("3 systems changed")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No systems match this query" })).toBeVisible();

  await page.goto(`${server.url}/ui/onboarding`);
  await expect(page.getByRole("button", { name: "web9" })).toBeVisible();
  await page.getByRole("tab", { name: "Banned (3)" }).click();
  await expect(page.getByRole("button", { name: "web2" })).toBeVisible();
});

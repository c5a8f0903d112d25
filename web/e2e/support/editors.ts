// Two people who edit common data.
import type { Page } from "@playwright/test";
import type { Server } from "./server";
import { expect, logIn } from "./test";

export const ben = { name: "ben", password: "another horse battery staple" };

// `url`: of the server that is asked; a cluster has several.
export async function enterAs(page: Page, url: string, user: string, password: string) {
  await page.goto(`${url}/ui/edits`);
  await logIn(page, user, password);
  await expect(page.getByRole("heading", { level: 1, name: "Edit sessions" })).toBeVisible();
}

export async function begin(page: Page, why: string) {
  await page.getByRole("button", { name: "Start editing" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill(why);
  await page.getByRole("dialog").getByRole("button", { name: "Start editing" }).click();
  await expect(page.getByText("You are editing common data.")).toBeVisible();
}

// What pops up in the corner, on whichever page; the bar on top says the same, and stays.
export function popUp(page: Page, title: RegExp) {
  return page.getByRole("list", { name: "Notifications" }).getByRole("heading", { name: title });
}

export async function addRole(page: Page, url: string, name: string) {
  await page.goto(`${url}/ui/admin/roles`);
  await page.getByRole("button", { name: "Create role" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.getByRole("dialog").getByLabel("jobs.read").check();
  await page.getByRole("dialog").getByRole("button", { name: "Create role" }).click();
  await expect(page.getByText("Added to the draft")).toBeVisible();
}

export async function apply(page: Page, note: string) {
  await page.getByRole("button", { name: "Apply draft" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill(note);
  await page.getByRole("dialog").getByRole("button", { name: "Apply draft" }).click();
  await expect(page.getByText(/Draft applied as revision \d+/)).toBeVisible();
}

export async function endSessionOf(page: Page, user: string) {
  await page
    .getByRole("row", { name: new RegExp(user) })
    .getByRole("button", { name: "End session…" })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "End session" }).click();
  await expect(page.getByText("Edit session ended")).toBeVisible();
}

// A second editor who can log in at once.
export async function addBen(server: Server) {
  const user = await server.post<{ password: string }>("/api/v1/users", {
    name: ben.name,
    grants: [{ role: "admin", zone: "" }],
  });
  const entered = await ask(server, "/api/v1/login", { user: ben.name, password: user.password });
  const choice = { old: user.password, new: ben.password };
  await ask(server, "/api/v1/me/password", choice, entered.token);
}

async function ask(server: Server, path: string, data: unknown, token = "") {
  const answer = await server.api.post(path, {
    data,
    headers: token === "" ? {} : { Authorization: `Bearer ${token}`, Cookie: "" },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()) as { token: string };
}

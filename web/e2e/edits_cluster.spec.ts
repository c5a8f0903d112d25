// Editing on three servers: who asks one of them sees what happens on the others.
import { Cluster } from "./support/cluster";
import {
  addBen,
  addRole,
  apply,
  begin,
  ben,
  endSessionOf,
  enterAs,
  popUp,
} from "./support/editors";
import { withOwn } from "./support/own";
import { admin } from "./support/server";
import { expect } from "./support/test";

const test = withOwn(
  () => new Cluster(),
  (cluster) => cluster.openAll(),
);

test.describe.configure({ mode: "serial" });

test("two editors on two servers see each other, and what one applies is on all three", async ({
  page,
  server,
  another,
}) => {
  test.slow();
  await addBen(server);
  const bens = await another();
  const second = server.urlOf("muster-2");
  await enterAs(page, server.url, admin.user, admin.password);
  await begin(page, "mine");
  await enterAs(bens, second, ben.name, ben.password);
  await expect(bens.getByRole("row", { name: /admin/ })).toBeVisible();
  await Promise.all([
    expect(popUp(page, /ben started an edit session/)).toBeVisible(),
    begin(bens, "his"),
  ]);
  const button = page.getByRole("button", { name: "Apply draft" });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(page.locator("#apply-reason")).toContainText("ben");

  // What ben changes on his server is in the draft that the other one shows.
  await addRole(bens, second, "late-shift");
  await expect(page.getByText("Role late-shift").first()).toBeVisible();
  await addRole(page, server.url, "night-shift");
  await page.getByRole("link", { name: "Open draft" }).click();
  await bens.getByRole("link", { name: "Open draft" }).click();
  await expect(bens.getByText("Role night-shift").first()).toBeVisible();
  await endSessionOf(bens, "ben");
  await expect(button).not.toHaveAttribute("aria-disabled", "true");
  await apply(page, "from both");

  await bens.goto(`${second}/ui/admin/roles`);
  for (const role of ["late-shift", "night-shift"])
    await expect(bens.getByRole("cell", { name: role, exact: true })).toBeVisible();
  await page.goto(`${server.url}/ui/edits/nodes`);
  const servers = page.getByRole("table", { name: "Servers and revisions" });
  for (const name of ["muster-1", "muster-2", "muster-3"])
    await expect(servers.getByRole("row", { name })).toContainText("Current");
});

test("a server that is gone takes no draft with it", async ({ page, server }) => {
  test.setTimeout(120_000);
  await enterAs(page, server.url, admin.user, admin.password);
  await begin(page, "with two left");
  await addRole(page, server.url, "early-shift");

  server.kill("muster-3");
  await page.getByRole("link", { name: "Open draft" }).click();
  await expect(page.getByText("Role early-shift").first()).toBeVisible();
  const servers = page.getByRole("table", { name: "Servers and revisions" });
  await page.goto(`${server.url}/ui/edits/nodes`);
  await expect(servers.getByRole("row", { name: "muster-3" })).not.toContainText("Current");
  await page.getByRole("link", { name: "Open draft" }).click();
  await apply(page, "without the third");
  await page.goto(`${server.url}/ui/admin/roles`);
  await expect(page.getByRole("cell", { name: "early-shift", exact: true })).toBeVisible();
});

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
import { withOwnServer } from "./support/own";
import { admin } from "./support/server";
import { enter, expect, expectAccessible, expectSound } from "./support/test";

const test = withOwnServer();

test.describe.configure({ mode: "serial" });

test("changes go into a draft that is shown as a diff, and are applied as a revision", async ({
  page,
  server,
}) => {
  await enter(page, server, "/edits");
  await expect(page.getByRole("heading", { name: "No open edit sessions" })).toBeVisible();
  await begin(page, "roles for the night");
  await expect(page.getByText(/Leader: /)).toBeVisible();
  await addRole(page, server.url, "night-shift");
  await expect(page.getByText("Draft: 1 change.")).toBeVisible();

  await page.getByRole("link", { name: "Open draft" }).click();
  await expect(page.getByText("Role night-shift").first()).toBeVisible();
  await expect(page.getByText(/jobs\.read/)).toBeVisible();
  await expectSound(page, "edits-draft");
  await apply(page, "as agreed");

  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByRole("cell", { name: "as agreed" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("region", { name: "Role night-shift" })).toBeVisible();
  await expectAccessible(page);
  await page.goto(`${server.url}/ui/edits/nodes`);
  await expect(page.getByText("Current", { exact: true }).first()).toBeVisible();
  await expectAccessible(page);
});

test("two editors see each other, and only one who is alone may apply", async ({
  page,
  server,
  another,
}) => {
  await addBen(server);
  await enterAs(page, server.url, admin.user, admin.password);
  await begin(page, "mine");
  const bens = await another();
  await enterAs(bens, server.url, ben.name, ben.password);
  await Promise.all([
    expect(popUp(page, /ben started an edit session/)).toBeVisible(),
    begin(bens, "his"),
  ]);
  await expect(page.getByRole("status").filter({ hasText: "Also editing: ben" })).toBeVisible();

  const button = page.getByRole("button", { name: "Apply draft" });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(page.locator("#apply-reason")).toContainText("ben");
  await expectSound(page, "edits-two");

  await endSessionOf(bens, "ben");
  await expect(page.locator("#apply-reason")).not.toContainText("ben");
});

import { admin } from "./support/server";
import { enter, expect, expectSound, test } from "./support/test";

test("a wrong password is refused with a sentence, the right one lets in", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(/status of 401/);
  await page.goto(`${server.url}/`);
  await expect(page.getByRole("heading", { name: "Log in" })).toBeVisible();
  await expectSound(page, "login");

  await page.getByLabel("User").fill(admin.user);
  await page.getByLabel("Password").fill("not the password");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Wrong user name or password")).toBeVisible();

  await page.getByLabel("Password").fill(admin.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
});

test("a session that ends elsewhere leads to the login, and back to where one was", async ({
  page,
  server,
  watched,
}) => {
  watched.allow(/status of 401/);
  await enter(page, server, "/search?q=state%3Aorphan");
  await expect(page.getByRole("heading", { name: "Search" })).toBeVisible();

  // The page may notice by itself between two keys: they go to whatever is there then.
  await page.getByRole("combobox", { name: "Query" }).focus();
  await page.context().clearCookies();
  await page.keyboard.type("web*");
  await expect(page.getByText("Your session has expired")).toBeVisible();

  await page.getByLabel("User").fill(admin.user);
  await page.getByLabel("Password").fill(admin.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Search" })).toBeVisible();
  expect(page.url()).toContain("/ui/search");
});

test("the keyboard leads everywhere", async ({ page, server }) => {
  await enter(page, server);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await page.locator("body").press("g");
  await page.locator("body").press("n");
  await expect(page.getByRole("heading", { level: 1, name: "Onboarding" })).toBeVisible();
  await page.locator("body").press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/ui/overview`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.locator("body").press("/");
  await expect(page.getByRole("combobox", { name: "Query" })).toBeFocused();
});

test("the description of the API is served from here", async ({ page, server }) => {
  await page.goto(`${server.url}/docs`);

  await expect(page.getByRole("heading", { name: /Muster/ }).first()).toBeVisible();
  await expect(page.locator(".opblock-tag").first()).toBeVisible();
});

test("the first load is small", async ({ page, server }) => {
  const sizes: Promise<number>[] = [];
  // Finished ones: the stream of events has no size.
  page.on("requestfinished", (sent) => {
    sizes.push(sent.sizes().then((size) => size.responseBodySize));
  });
  await enter(page, server);
  await expect(page.getByRole("heading", { name: "Needs attention" })).toBeVisible();

  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(50 * 1024); // otherwise nothing was counted
  expect(bytes).toBeLessThan(400 * 1024);
});

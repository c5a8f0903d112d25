// What every browser test has: a real cluster for its file, a page whose console stays clean and
// whose requests stay at home, checks of accessibility, pictures.
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { admin, Server } from "./server";

interface Watched {
  // Messages of the console that the test means to cause, such as "status of 400".
  allow: (text: RegExp) => void;
}

export const test = base.extend<{ watched: Watched }, { server: Server }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const server = new Server();
      try {
        await server.open();
        await use(server);
      } finally {
        await server.close();
      }
    },
    { scope: "worker", timeout: 60_000 },
  ],
  watched: [
    async ({ page, server }, use) => {
      const said: string[] = [];
      const allowed: RegExp[] = [];
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") said.push(message.text());
      });
      page.on("pageerror", (failure) => said.push(String(failure)));
      page.on("request", (sent) => {
        const to = new URL(sent.url());
        if (to.protocol !== "data:" && to.origin !== server.url) said.push(`asked ${sent.url()}`);
      });
      await use({ allow: (text) => allowed.push(text) });
      expect(said.filter((text) => !allowed.some((each) => each.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

// Opens a page of the UI as the admin.
export async function enter(page: Page, server: Server, path = "/overview"): Promise<void> {
  await page.goto(`${server.url}/ui${path}`);
  await page.getByLabel("User").fill(admin.user);
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("navigation", { name: "Pages" })).toBeVisible();
}

export async function expectAccessible(page: Page): Promise<void> {
  const found = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"])
    .analyze();
  const told = found.violations.map(
    (each) =>
      `${each.id}: ${each.help}\n  ${each.nodes.map((node) => node.target.join(" ")).join("\n  ")}`,
  );
  expect(told).toEqual([]);
}

// The page as it is on a desk and on a phone, light and dark: accessible in all, kept as pictures.
export async function expectSound(page: Page, name: string): Promise<void> {
  const folder = join(process.env.E2E_RESULTS ?? "test-results", "screens");
  const size = page.viewportSize();
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.screenshot({
        path: join(folder, `${name}-${width}-${scheme}.png`),
        animations: "disabled",
      });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectAccessible(page);
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (size) await page.setViewportSize(size);
}

// What every browser test has: a real cluster for its file, pages that are watched, checks of
// accessibility, pictures.
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { type BrowserContextOptions, test as base, expect, type Page } from "@playwright/test";
import { admin, Server } from "./server";
import { watch } from "./watch";

interface Watched {
  // Messages of the console that the test means to cause, such as "status of 400".
  allow: (text: RegExp) => void;
  follow: (page: Page) => void;
}

// A page of somebody else, in a browser of their own.
type Another = (options?: BrowserContextOptions) => Promise<Page>;

export const test = base.extend<{ watched: Watched; another: Another }, { server: Server }>({
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
      const problems: string[][] = [];
      const allowed: RegExp[] = [];
      const follow = (page: Page) => {
        problems.push(watch(page, () => server.origins));
      };
      follow(page);
      await use({ allow: (text) => allowed.push(text), follow });
      expect(
        problems.flat().filter((text) => !allowed.some((pattern) => pattern.test(text))),
      ).toEqual([]);
    },
    { auto: true },
  ],
  another: async ({ browser, watched }, use) => {
    const opened: Page[] = [];
    await use(async (options = {}) => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
      const page = await context.newPage();
      watched.follow(page);
      opened.push(page);
      return page;
    });
    for (const page of opened) await page.context().close();
  },
});

export { expect };

export async function logIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel("User").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

// Opens a page of the UI as the admin, from the first server or from the one that is named.
export async function enter(
  page: Page,
  server: Server,
  path = "/overview",
  url = server.url,
): Promise<void> {
  await page.goto(`${url}/ui${path}`);
  await logIn(page, admin.user, admin.password);
  // On a narrow screen the navigation is folded.
  await expect(page.getByRole("button", { name: "Navigation" })).toBeVisible();
}

const standard = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];

// `where` stands in what is told. `only`: these rules, and not all of the standard's.
export async function expectAccessible(
  page: Page,
  place = "here",
  only: string[] = [],
): Promise<void> {
  // Pages have no frames of others; without looking for them it takes half the time.
  const looking = new AxeBuilder({ page }).setLegacyMode(true);
  const results = await (only.length > 0
    ? looking.withRules(only)
    : looking.withTags(standard)
  ).analyze();
  const violations = results.violations.map(
    (violation) =>
      `${violation.id}: ${violation.help}\n  ${violation.nodes.map((node) => node.target.join(" ")).join("\n  ")}`,
  );
  expect.soft(violations, `accessible: ${place}`).toEqual([]);
}

// Parts of a page may scroll by themselves; the page never scrolls sideways, and nothing of it is
// cut off at the screen's edge without a way to scroll there.
export async function expectFits(page: Page, place = "here"): Promise<void> {
  const beyond = await page.evaluate(() => {
    const wide = window.innerWidth;
    if ((document.scrollingElement?.scrollWidth ?? 0) > wide) return ["the page"];
    // What scrolls up and down on every page, and in dialogs.
    const ports =
      "main, .pf-v6-c-page__main-container, .pf-v6-c-page__main, .pf-v6-c-modal-box__body";
    const scrolled = [...document.querySelectorAll(ports)].filter(
      (element) => element.scrollWidth > element.clientWidth + 1,
    );
    if (scrolled.length > 0) return scrolled.map((element) => `in ${element.className}`);
    const reachable = (element: Element): boolean => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (/auto|scroll/.test(style.overflowX) && at.clientWidth <= wide) return true;
      }
      return false;
    };
    const hidden = (element: Element): boolean =>
      element.closest(".visually-hidden, [hidden], [aria-hidden=true], .pf-v6-c-page__sidebar") !==
      null;
    return [...document.body.querySelectorAll("*")]
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const visible =
          box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== "hidden";
        return visible && box.right > wide + 1 && !hidden(element) && !reachable(element);
      })
      .slice(0, 5)
      .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""}`);
  });
  expect.soft(beyond, `within the screen: ${place}`).toEqual([]);
}

export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = join(process.env.E2E_RESULTS ?? "test-results", "screens");
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
}

export async function inColours(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
}

// The page as it is, light on a desk and dark on a phone: accessible, kept as pictures. Every
// address is looked at in pages_wide.spec.ts and pages_phone.spec.ts.
export async function expectSound(page: Page, name: string): Promise<void> {
  const size = page.viewportSize();
  for (const [scheme, width, height] of [
    ["light", 1280, 800],
    ["dark", 390, 844],
  ] as const) {
    await inColours(page, scheme);
    await page.setViewportSize({ width, height });
    const picture = `${name}-${width}-${scheme}`;
    await takePicture(page, picture);
    await expectAccessible(page, picture);
  }
  await inColours(page, "light");
  if (size) await page.setViewportSize(size);
}

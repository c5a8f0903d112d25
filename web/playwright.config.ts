import { defineConfig } from "@playwright/test";

// Real servers and agents, one browser at a time: `npm run e2e`, or as a part of `make test`.
// E2E_BIN is where the programs are, CHROMIUM the browser.
export default defineConfig({
  testDir: "e2e",
  outputDir: process.env.E2E_RESULTS ?? "test-results",
  workers: 1,
  fullyParallel: false,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: {
    actionTimeout: 30_000, // what is not there is told, and not waited for to the end
    ignoreHTTPSErrors: true,
    viewport: { width: 1280, height: 800 },
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
    // Colours on their way from light to dark are neither.
    contextOptions: { reducedMotion: "reduce" },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    },
  },
});

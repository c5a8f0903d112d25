// A page that is watched: its console stays clean, and its requests stay at home.
import type { Page } from "@playwright/test";

// What it said and should not have. `home`: the origins that it may ask.
export function watch(page: Page, home: () => string[]): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (failure) => problems.push(String(failure)));
  page.on("request", (sent) => {
    const to = new URL(sent.url());
    if (to.protocol !== "data:" && !home().includes(to.origin))
      problems.push(`asked ${sent.url()}`);
  });
  return problems;
}

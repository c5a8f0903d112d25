// Times and memory of a tab, as the browser and the kernel tell them.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "@playwright/test";

let missed = 0;

export function missedGoals(): number {
  return missed;
}

// As the bench programs tell theirs.
export function wantedAtMost(name: string, measured: number, unit: string, limit: number): void {
  const met = measured <= limit;
  if (!met) missed += 1;
  const figure = Number(measured.toPrecision(4));
  console.log(
    `goal: ${name}: ${figure} ${unit}, at most ${limit} wanted: ${met ? "met" : "MISSED"}`,
  );
}

interface Timings {
  tasks: number[]; // how long the page answered to nobody, each time
  keys: number[]; // from a key to what is drawn for it
}

declare global {
  interface Window {
    timings: Timings;
  }
}

// From now on every page of this tab tells.
export async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.timings = { tasks: [], keys: [] };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.timings.tasks.push(entry.duration);
    }).observe({ type: "longtask", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (entry.name.startsWith("key")) window.timings.keys.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
}

export async function takeTimings(page: Page): Promise<{ task: number; key: number }> {
  const all = await page.evaluate(() => {
    const is = window.timings;
    window.timings = { tasks: [], keys: [] };
    return is;
  });
  return { task: Math.max(0, ...all.tasks), key: Math.max(0, ...all.keys) };
}

// The page's own clock when something is seen first, looked at with every frame: an element with
// this text, or, if none is named, the rows of a list of which none is waited for.
export async function seenAt(page: Page, named?: { selector: string; text: string }) {
  return page.evaluate(
    (target) =>
      new Promise<number>((resolve, missed) => {
        const end = performance.now() + 60_000;
        const rows = () =>
          document.querySelectorAll(".rows-row").length > 5 &&
          document.querySelector(".rows-row .rows-wait") === null;
        const isVisible = () =>
          target ? document.querySelector(target.selector)?.textContent === target.text : rows();
        const look = () => {
          if (isVisible()) resolve(performance.now());
          else if (performance.now() > end) missed(new Error("it was not seen within a minute"));
          else requestAnimationFrame(look);
        };
        look();
      }),
    named,
  );
}

export async function now(page: Page): Promise<number> {
  return page.evaluate(() => performance.now());
}

function mebibytes(process: number, file: string, name: string): number {
  const line = readFileSync(`/proc/${process}/${file}`, "utf8")
    .split("\n")
    .find((line) => line.startsWith(`${name}:`));
  return Number(/\d+/.exec(line ?? "")?.[0] ?? Number.NaN) / 1024;
}

// The largest of the browser's processes that draw pages: with one tab open it is the tab's.
export async function memoryOf(browser: Browser): Promise<{ whole: number; own: number }> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const all = processInfo
    .filter((info) => info.type === "renderer")
    .map(({ id }) => ({
      whole: mebibytes(id, "smaps_rollup", "Pss"),
      own: mebibytes(id, "status", "RssAnon"),
    }));
  return all.reduce((most, usage) => (usage.whole > most.whole ? usage : most));
}

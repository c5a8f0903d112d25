import { useSyncExternalStore } from "react";
import { currentTime } from "../api/serverTime";

// One clock for the whole app, so that a thousand times on a page cost one timer.
const step = 5_000;
let now = currentTime();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function refresh(): void {
  now = currentTime();
  for (const watcher of watchers) watcher();
}

// Browsers slow timers down in tabs that are not seen, and stop them on a machine that sleeps.
const wakeEvents: [target: () => EventTarget, name: string][] = [
  [() => document, "visibilitychange"],
  [() => window, "focus"],
  [() => window, "pageshow"],
];

function start(): void {
  timer = setInterval(refresh, step);
  for (const [target, name] of wakeEvents) target().addEventListener(name, refresh);
}

function stop(): void {
  if (timer) clearInterval(timer);
  timer = null;
  for (const [target, name] of wakeEvents) target().removeEventListener(name, refresh);
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  if (!timer) start();
  return () => {
    watchers.delete(changed);
    if (watchers.size === 0) stop();
  };
}

// Nothing moves the clock while no time is shown, or while timers do not fire: whoever reads it
// then gets the time of the moment.
function read(): Date {
  const current = currentTime();
  if (Math.abs(current.getTime() - now.getTime()) >= step) now = current;
  return now;
}

// The time, every five seconds.
export function useNow(): Date {
  return useSyncExternalStore(watch, read);
}

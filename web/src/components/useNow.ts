import { useSyncExternalStore } from "react";

// One clock for the whole app, so that a thousand times on a page cost one timer.
const step = 5_000;
let now = new Date();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function watch(changed: () => void): () => void {
  watchers.add(changed);
  timer ??= setInterval(() => {
    now = new Date();
    for (const watcher of watchers) watcher();
  }, step);
  return () => {
    watchers.delete(changed);
    if (watchers.size === 0 && timer) {
      clearInterval(timer);
      timer = null;
    }
  };
}

// The time, every five seconds.
export function useNow(): Date {
  return useSyncExternalStore(watch, () => now);
}

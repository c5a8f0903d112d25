import { expect, test } from "vitest";
import type { Job } from "../../api/types";
import { hasEnded, jobText, sharesOf, standing, waitsForWindows } from "./jobText";

test("a command is told by its line, other work by its function", () => {
  expect(jobText({ function: "cmd.run", arguments: { cmd: "uptime  -p\n" } })).toBe("uptime -p");
  expect(jobText({ function: "cmd.run", arguments: { cmd: ["ls", "-l"] } })).toBe("ls -l");
  expect(jobText({ function: "test.ping", arguments: {} })).toBe("test.ping");
  expect(jobText({ function: "pkg.install", arguments: { name: "vim" } })).toBe(
    "pkg.install (name)",
  );
});

test("a long line is cut", () => {
  expect(jobText({ function: "cmd.run", arguments: { cmd: "x".repeat(500) } }).length).toBe(60);
});

test("shares sum to the number of targets", () => {
  const counts = { queued: 5, picked_up: 4, completed: 3, failed: 2, cancelled: 1, expired: 9 };
  expect(sharesOf(counts).reduce((sum, share) => sum + share.value, 0)).toBe(24);
});

test("a job that is done with failures is not told as good", () => {
  const job = { stage: "done", phase: "everybody", counts: { failed: 1 } } as unknown as Job;
  expect(standing(job)).toEqual({ state: "failed", text: "Done, with failures" });
  expect(standing({ ...job, counts: { failed: 0 } } as Job).state).toBe("done");
  expect(hasEnded(job)).toBe(true);
  expect(hasEnded({ stage: "paused" })).toBe(false);
});

test("a job of which nothing but windows is waited for is not told as running", () => {
  const waiting = [
    { schedule: "nights", systems: 1500, opens: "2026-11-18T02:00:00Z" },
    { schedule: "weekend", systems: 20, opens: null },
  ];
  const job = { stage: "open", phase: "everybody", targets: 1600, ended: 80, waiting } as Job;

  expect(standing(job)).toEqual({ state: "waiting", text: "Waiting for window" });
  expect(waitsForWindows({ ...job, ended: 79 })).toBe(false); // one runs
  expect(standing({ ...job, ended: 79 })).toEqual({ state: "open" });
  expect(standing({ ...job, stage: "paused" }).state).toBe("paused");
  expect(waitsForWindows({ ...job, waiting: [] })).toBe(false);
  expect(waitsForWindows({ ...job, waiting: undefined })).toBe(false);
});

import { expect, test } from "vitest";
import { ApiError } from "../api/client";
import type { Operation } from "../api/types";
import { type BulkCallbacks, progressText, runBulkOperation } from "./bulkOperation";

const running = { state: "running", href: "/api/v1/operations/1", done: 1, total: 3 } as Operation;
const done = { state: "done", changed: 3 } as Operation;

function line(overrides: Partial<BulkCallbacks>): BulkCallbacks {
  return {
    begin: async () => running,
    look: async () => done,
    pause: async () => undefined,
    onProgress: () => undefined,
    ...overrides,
  };
}

test("a change is watched until it has ended", async () => {
  const progress: number[] = [];
  const outcome = await runBulkOperation(line({ onProgress: (now) => progress.push(now) }));

  expect(outcome).toEqual({ kind: "ended", state: done });
  expect(progress).toEqual([1]);
});

test("what the server refused was not done", async () => {
  const failure = new Error("no right");
  const outcome = await runBulkOperation(line({ begin: () => Promise.reject(failure) }));

  expect(outcome).toEqual({ kind: "refused", failure });
});

test("what was begun and cannot be followed is not told as not done", async () => {
  const failure = new Error("the server does not answer");
  const outcome = await runBulkOperation(line({ look: () => Promise.reject(failure) }));

  expect(outcome).toEqual({ kind: "lost", failure });
});

test("what had no answer is told neither as done nor as not done", async () => {
  for (const status of [0, 500, 504]) {
    const failure = new ApiError({ status, title: "", detail: "" });
    const outcome = await runBulkOperation(line({ begin: () => Promise.reject(failure) }));
    expect(outcome.kind).toBe("unsure");
  }
  const busy = new ApiError({ status: 503, title: "", detail: "" });
  expect((await runBulkOperation(line({ begin: () => Promise.reject(busy) }))).kind).toBe(
    "refused",
  );
});

test("as long as nobody knows how many are meant, no number is told", () => {
  expect(progressText(0, 0)).toBe("Finding systems…");
  expect(progressText(1, 3)).toBe("1 of 3 systems");
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkWhenQuiet, connection, noteContact, noteSilence } from "./connection";

const ask = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", ask);
  ask.mockReset();
  noteContact();
});

afterEach(() => {
  noteContact();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("one failed request does not mean that the server is unreachable", async () => {
  ask.mockResolvedValue(new Response());
  noteSilence();
  await vi.advanceTimersByTimeAsync(0);

  expect(ask).toHaveBeenCalledTimes(1);
  expect(connection().up).toBe(true);
});

test("an unreachable server is reported with the time of its last response until it responds", async () => {
  const last = Date.now();
  await vi.advanceTimersByTimeAsync(20_000);
  ask.mockRejectedValue(new TypeError("refused"));
  noteSilence();
  await vi.advanceTimersByTimeAsync(0);
  expect(connection()).toEqual({ up: false, lastContact: last });

  ask.mockResolvedValue(new Response());
  await vi.advanceTimersByTimeAsync(3_000);
  expect(connection().up).toBe(true);
});

test("a server that does not respond is checked after a while", async () => {
  ask.mockRejectedValue(new TypeError("timeout"));
  checkWhenQuiet();
  expect(ask).not.toHaveBeenCalled();

  await vi.advanceTimersByTimeAsync(16_000);
  checkWhenQuiet();
  await vi.advanceTimersByTimeAsync(0);
  expect(connection().up).toBe(false);
});

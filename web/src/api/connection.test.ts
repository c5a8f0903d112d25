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

test("one lost request is no lost server", async () => {
  ask.mockResolvedValue(new Response());
  noteSilence();
  await vi.advanceTimersByTimeAsync(0);

  expect(ask).toHaveBeenCalledTimes(1);
  expect(connection().up).toBe(true);
});

test("a server that is away is told with the time of its last answer, until it answers again", async () => {
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

test("a server that only hangs is asked after a while", async () => {
  ask.mockRejectedValue(new TypeError("timeout"));
  checkWhenQuiet();
  expect(ask).not.toHaveBeenCalled();

  await vi.advanceTimersByTimeAsync(16_000);
  checkWhenQuiet();
  await vi.advanceTimersByTimeAsync(0);
  expect(connection().up).toBe(false);
});

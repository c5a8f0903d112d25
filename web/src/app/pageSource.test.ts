import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PageSource, ServerUnreachable } from "./pageSource";

const Page = () => null;
const reload = vi.fn();
const ask = vi.fn<() => Promise<Response>>();
const failing = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("window", { location: { reload } });
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  vi.stubGlobal("fetch", ask);
  reload.mockReset();
  ask.mockReset();
});

afterEach(() => vi.unstubAllGlobals());

test("a page that was fetched before is there at once, also without a server", async () => {
  const load = vi.fn(async () => ({ default: Page }));
  const source = new PageSource(load);
  await source.prefetch();
  expect(source.component).toBe(Page);

  expect(await source.open({ reload: false })).toBe(Page);
  expect(load).toHaveBeenCalledTimes(1);
});

test("without a server nothing is loaded anew: that would end in the browser's error page", async () => {
  ask.mockRejectedValue(new TypeError("refused"));
  const source = new PageSource(failing);

  await expect(source.open({ reload: false })).rejects.toBeInstanceOf(ServerUnreachable);
  await expect(source.open({ reload: true })).rejects.toBeInstanceOf(ServerUnreachable);
  expect(reload).not.toHaveBeenCalled();
});

test("a part that is gone from a server that answers is loaded anew, once unless asked for", async () => {
  ask.mockResolvedValue(new Response());
  const source = new PageSource(failing);
  void source.open({ reload: false });
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));

  await expect(source.open({ reload: false })).rejects.toThrow("cannot be loaded");
  void source.open({ reload: true });
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(2));
});

import { expect, test } from "vitest";
import { mayReload } from "./reload";

function memory() {
  const entries = new Map<string, string>();
  return {
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
  };
}

test("a page is loaded anew once, not round and round", () => {
  const storage = memory();

  expect(mayReload(storage, 1_000_000)).toBe(true);
  expect(mayReload(storage, 1_001_000)).toBe(false);
});

test("the next update is another matter", () => {
  const storage = memory();
  mayReload(storage, 1_000_000);

  expect(mayReload(storage, 2_000_000)).toBe(true);
});

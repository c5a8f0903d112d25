import { expect, test } from "vitest";
import { mayReload } from "./reload";

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  };
}

test("a page is loaded anew once, not round and round", () => {
  const kept = memory();

  expect(mayReload(kept, 1_000_000)).toBe(true);
  expect(mayReload(kept, 1_001_000)).toBe(false);
});

test("the next update is another matter", () => {
  const kept = memory();
  mayReload(kept, 1_000_000);

  expect(mayReload(kept, 2_000_000)).toBe(true);
});

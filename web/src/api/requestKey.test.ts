import { expect, test } from "vitest";
import { RequestKey } from "./requestKey";

test("the same request has the same key, another one another", () => {
  const key = new RequestKey();
  const first = key.of({ query: "*", dry_run: true });

  expect(key.of({ query: "*", dry_run: true })).toBe(first);
  expect(key.of({ query: "*", dry_run: false })).not.toBe(first);
});

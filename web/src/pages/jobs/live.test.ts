import { expect, test } from "vitest";
import { nothingYet, withEvent } from "./live";

function output(text: string): [string, string] {
  return ["output", JSON.stringify({ text })];
}

test("pieces are one text in their order", () => {
  const is = withEvent(withEvent(nothingYet, ...output("a\n")), ...output("b\n"));
  expect(is.text).toBe("a\nb\n");
});

test("bytes that are no text are shown as well as can be", () => {
  const is = withEvent(nothingYet, "output", JSON.stringify({ base64: btoa("ab\xff") }));
  expect(is.text).toBe("ab\ufffd");
});

test("what was skipped is said where it is missing", () => {
  const is = withEvent(withEvent(nothingYet, ...output("a")), "gap", '{"size": 77}');
  expect(is.text).toContain("77 bytes not shown");
});

test("the newest part is kept when a task writes without an end", () => {
  let is = nothingYet;
  for (let n = 0; n < 50; n += 1) is = withEvent(is, ...output(`${n} `.repeat(5_000)));
  expect(is.cut).toBe(true);
  expect(is.text.length).toBeLessThanOrEqual(400_000);
  expect(is.text.endsWith("49 ")).toBe(true);
});

test("the end is told with the state", () => {
  const is = withEvent(nothingYet, "end", '{"state": "failed"}');
  expect([is.ended, is.state]).toEqual([true, "failed"]);
});

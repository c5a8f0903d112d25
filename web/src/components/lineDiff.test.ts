import { expect, test } from "vitest";
import { lineDiff } from "./lineDiff";

const shape = (before: string, after: string) =>
  lineDiff(before, after)?.map(
    (line) => ({ same: " ", added: "+", removed: "-" })[line.kind] + line.text,
  );

test("what changed is told beside what stayed", () => {
  expect(shape("a\nb\nc\n", "a\nx\nc\nd\n")).toEqual([" a", "-b", "+x", " c", "+d"]);
});

test("equal texts differ in nothing", () => {
  expect(shape("a\nb\n", "a\nb\n")).toEqual([" a", " b"]);
  expect(shape("", "")).toEqual([]);
});

test("every diff leads from the one text to the other", () => {
  let seed = 4711;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let run = 0; run < 200; run += 1) {
    const lines = () => Array.from({ length: random(8) }, () => "abc"[random(3)] ?? "");
    const before = lines();
    const after = lines();
    const diffLines = lineDiff(before.join("\n"), after.join("\n")) ?? [];
    const left = diffLines.filter((line) => line.kind !== "added").map((line) => line.text);
    const right = diffLines.filter((line) => line.kind !== "removed").map((line) => line.text);
    // A text of nothing but one empty line is an empty text.
    expect(left.join("\n"), `run ${run}`).toBe(before.join("\n"));
    expect(right.join("\n"), `run ${run}`).toBe(after.join("\n"));
  }
});

test("texts that are too long are not compared", () => {
  expect(lineDiff("a\n".repeat(5000), "b\n")).toBeUndefined();
});

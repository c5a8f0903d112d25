import { expect, test } from "vitest";
import { inTree } from "./tree";

const zone = (name: string, parent = "") => ({ name, parent });

test("parents stand before what lies below them", () => {
  const placed = inTree([zone("berlin", "eu"), zone("eu"), zone("us"), zone("mitte", "berlin")]);
  expect(placed.map((entry) => [entry.zone.name, entry.depth])).toEqual([
    ["eu", 0],
    ["berlin", 1],
    ["mitte", 2],
    ["us", 0],
  ]);
});

test("no zone is lost, also in a loop or below one that is gone", () => {
  const placed = inTree([zone("a", "b"), zone("b", "a"), zone("c", "gone")]);
  expect(placed.map((entry) => entry.zone.name).sort()).toEqual(["a", "b", "c"]);
});

import { expect, test } from "vitest";
import type { System } from "../../api/types";
import { visibleTags } from "./visibleTags";

const system = (...tags: string[]) => ({ tags }) as System;

test("tags are proposed once each, in their order", () => {
  const pages = [
    { items: [system("web", "db"), system("db")] },
    undefined,
    { items: [system("a")] },
  ];

  expect(visibleTags(pages)).toEqual(["a", "db", "web"]);
});

test("however many tags there are, a bounded number is kept", () => {
  const many = Array.from({ length: 2_000 }, (_, n) => system(`t${n}`));

  expect(visibleTags([{ items: many }])).toHaveLength(500);
});

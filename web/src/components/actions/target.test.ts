import { expect, test } from "vitest";
import type { System } from "../../api/types";
import { bodyOf, namesOf, queryTarget, selectedTarget } from "./target";

const web1 = { fingerprint: "aa:bb", number: 7, name: "web1" } as System;

test("everybody is said, never left empty", () => {
  expect(bodyOf(queryTarget(" ", 3))).toEqual({ query: "*" });
});

test("those picked are named by their keys, and have an expression too", () => {
  const target = selectedTarget([web1, { ...web1, fingerprint: "cc:dd", number: 8 }]);

  expect(bodyOf(target)).toEqual({ fingerprints: ["aa:bb", "cc:dd"] });
  expect(target.query).toBe("number:7 or number:8");
});

test("of many that were picked some are named", () => {
  const names = Array.from({ length: 10 }, (_, n) => `web${n}`);

  expect(namesOf(names.slice(0, 2))).toBe("web0, web1");
  expect(namesOf(names)).toBe("web0, web1, web2, web3, web4, web5, web6, web7 and 2 more");
});

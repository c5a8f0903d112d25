import { expect, test } from "vitest";
import type { System } from "../../api/types";
import { bodyOf } from "../../components/actions/target";
import { poolTarget } from "./poolTarget";

const web1 = { fingerprint: "aa", number: null, name: "web1" } as System;
const web2 = { fingerprint: "bb", number: null, name: "web2" } as System;
const listed = { stage: "pooled", settled: "" } as const;

test("those picked are meant, and nobody else", () => {
  const target = poolTarget([web2], listed);

  expect(bodyOf(target)).toEqual({ fingerprints: ["bb"] });
  expect(target.count).toBe(1);
});

test("with nobody picked those shown are meant, by their keys", () => {
  const target = poolTarget([], { ...listed, whole: [web1, web2] });

  expect(bodyOf(target)).toEqual({ fingerprints: ["aa", "bb"] });
  expect(target.count).toBe(2);
});

test("of more than a page an expression is meant that keeps to the stage", () => {
  const target = poolTarget([], listed);

  expect(bodyOf(target)).toEqual({ query: "state:pooled and ( * )" });
  expect(target.count).toBeNaN();
});

test("an alternative does not lead out of the stage", () => {
  const target = poolTarget([], {
    stage: "rejected",
    settled: "web* or tag:db",
  });

  expect(bodyOf(target)).toEqual({ query: "state:rejected and ( web* or tag:db )" });
});

test("of systems without a number there is an expression, too", () => {
  expect(poolTarget([web1, web2], listed).query).toBe("fp:aa or fp:bb");
});

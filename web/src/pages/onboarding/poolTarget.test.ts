import { expect, test } from "vitest";
import type { System } from "../../api/types";
import { bodyOf } from "../../components/actions/target";
import { poolTarget } from "./poolTarget";

const web1 = { fingerprint: "aa", number: null, name: "web1" } as System;
const web2 = { fingerprint: "bb", number: null, name: "web2" } as System;
const listed = { stage: "pooled", settled: "" } as const;
const everything = { all: true, picks: [], total: 450 };

function picked(...picks: System[]) {
  return { all: false, picks, total: 2 };
}

test("with nothing selected nobody is meant", () => {
  const target = poolTarget(picked(), { ...listed, whole: [web1, web2] });

  expect(bodyOf(target)).toEqual({ fingerprints: [] });
  expect(target.count).toBe(0);
});

test("all that match are nobody before they are counted", () => {
  expect(poolTarget({ ...everything, total: undefined }, listed).count).toBe(0);
});

test("those picked are meant, and nobody else", () => {
  const target = poolTarget(picked(web2), listed);

  expect(bodyOf(target)).toEqual({ fingerprints: ["bb"] });
  expect(target.count).toBe(1);
});

test("all that match are meant by their keys, if they are few", () => {
  const target = poolTarget(everything, { ...listed, whole: [web1, web2] });

  expect(bodyOf(target)).toEqual({ fingerprints: ["aa", "bb"] });
  expect(target.count).toBe(2);
});

test("of more than a page an expression is meant that keeps to the stage", () => {
  const target = poolTarget(everything, listed);

  expect(bodyOf(target)).toEqual({ query: "state:pooled and ( * )" });
  expect(target.count).toBe(450);
});

test("an alternative does not lead out of the stage", () => {
  const target = poolTarget(everything, {
    stage: "rejected",
    settled: "web* or tag:db",
  });

  expect(bodyOf(target)).toEqual({ query: "state:rejected and ( web* or tag:db )" });
});

test("of systems without a number there is an expression, too", () => {
  expect(poolTarget(picked(web1, web2), listed).query).toBe("fp:aa or fp:bb");
});

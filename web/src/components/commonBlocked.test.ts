import { expect, test } from "vitest";
import { commonBlocked } from "./commonBlocked";
import type { Edit, EditsState } from "./editTypes";

const edit = (user: string, own = false) => ({ id: `e-${user}`, user, own }) as Edit;
const open = { draft: { state: "open" } } as EditsState;

test("while nobody edits common data can be changed", () => {
  expect(commonBlocked({ state: undefined, own: undefined, others: [] }, true)).toBeUndefined();
  expect(commonBlocked({ state: open, own: undefined, others: [] }, true)).toBeUndefined();
});

test("while others edit it cannot, and it is told who they are", () => {
  expect(commonBlocked({ state: open, own: undefined, others: [edit("ann")] }, true)).toMatch(
    /^ann edits common data\./,
  );
  const three = [edit("ann"), edit("bob"), edit("ann")];
  expect(commonBlocked({ state: open, own: undefined, others: three }, true)).toMatch(
    /^ann, bob edit common data\./,
  );
});

test("who may not edit is not told to", () => {
  const known = { state: open, own: undefined, others: [edit("ann")] };

  expect(commonBlocked(known, true)).toContain("of your own");
  expect(commonBlocked(known, false)).not.toContain("of your own");
});

test("who edits, too, changes the draft", () => {
  expect(
    commonBlocked({ state: open, own: edit("bob", true), others: [edit("ann")] }, true),
  ).toBeUndefined();
});

test("while a draft is applied nobody changes it", () => {
  const applying = { draft: { state: "applying" } } as EditsState;

  expect(commonBlocked({ state: applying, own: edit("bob", true), others: [] }, true)).toMatch(
    /being applied/,
  );
});

import { expect, test } from "vitest";
import { editBlockedReason } from "./editBlockedReason";
import type { Edit, EditsState } from "./editTypes";

const edit = (user: string, own = false) => ({ id: `e-${user}`, user, own }) as Edit;
const open = { draft: { state: "open" } } as EditsState;

test("while nobody edits common data can be changed", () => {
  expect(editBlockedReason({ state: undefined, own: undefined, others: [] }, true)).toBeUndefined();
  expect(editBlockedReason({ state: open, own: undefined, others: [] }, true)).toBeUndefined();
});

test("while others edit it cannot, and it is told who they are", () => {
  expect(editBlockedReason({ state: open, own: undefined, others: [edit("ann")] }, true)).toMatch(
    /^ann is editing common data\./,
  );
  const three = [edit("ann"), edit("bob"), edit("ann")];
  expect(editBlockedReason({ state: open, own: undefined, others: three }, true)).toMatch(
    /^ann, bob are editing common data\./,
  );
});

test("who may not edit is not told to", () => {
  const editing = { state: open, own: undefined, others: [edit("ann")] };

  expect(editBlockedReason(editing, true)).toContain("your own");
  expect(editBlockedReason(editing, false)).not.toContain("your own");
});

test("who edits, too, changes the draft", () => {
  expect(
    editBlockedReason({ state: open, own: edit("bob", true), others: [edit("ann")] }, true),
  ).toBeUndefined();
});

test("while a draft is applied nobody changes it", () => {
  const applying = { draft: { state: "applying" } } as EditsState;

  expect(editBlockedReason({ state: applying, own: edit("bob", true), others: [] }, true)).toMatch(
    /being applied/,
  );
});

import { afterEach, expect, test } from "vitest";
import { editFor, isCommon, isDrafted, setEdit } from "./common";

afterEach(() => setEdit(""));

test("changes of common data are told by method and path", () => {
  expect(isCommon("PUT", "/api/v1/groups/web")).toBe(true);
  expect(isCommon("POST", "/api/v1/windows/schedules/nights/assign")).toBe(true);
  expect(isCommon("GET", "/api/v1/groups/web")).toBe(false);
  expect(isCommon("POST", "/api/v1/windows/calendars/nights/refresh")).toBe(false);
  expect(isCommon("POST", "/api/v1/users")).toBe(false);
  expect(isCommon("POST", "/api/v1/jobs")).toBe(false);
});

test("the session is named only by changes of common data, and only while there is one", () => {
  expect(editFor("PUT", "/api/v1/groups/web")).toBe("");
  setEdit("e-1");
  expect(editFor("PUT", "/api/v1/groups/web")).toBe("e-1");
  expect(editFor("POST", "/api/v1/jobs")).toBe("");
});

test("an answer about the draft is not taken for a change that was done", () => {
  expect(isDrafted({ edit: "e-1", change: { number: 1 } })).toBe(true);
  expect(isDrafted({ name: "web" })).toBe(false);
  expect(isDrafted(undefined)).toBe(false);
});

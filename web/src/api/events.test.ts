import { expect, test } from "vitest";
import { EventCutter } from "./events";

test("an event that comes in pieces is told once it is whole", () => {
  const cutter = new EventCutter();

  expect(cutter.push("id: 12.3\nevent: job.do")).toEqual([]);
  expect(cutter.push('ne\ndata: {"a":1}\n')).toEqual([]);
  expect(cutter.push("\n")).toEqual([{ id: "12.3", name: "job.done", data: '{"a":1}' }]);
});

test("heartbeats are no events", () => {
  expect(new EventCutter().push(": \n\n:\n\n")).toEqual([]);
});

test("several lines of data are one text", () => {
  expect(new EventCutter().push("data: a\ndata: b\r\n\r\n")[0]?.data).toBe("a\nb");
});

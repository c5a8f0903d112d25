import { afterEach, expect, test, vi } from "vitest";
import { EventCutter, followEvents } from "./events";

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

test("an end of line that comes in two pieces is one", () => {
  const cutter = new EventCutter();

  expect(cutter.push("event: job.done\r")).toEqual([]);
  expect(cutter.push("\ndata: a\r")).toEqual([]);
  expect(cutter.push("\n\r\n")).toEqual([{ id: "", name: "job.done", data: "a" }]);
});

function streamOf(text: string): Response {
  return new Response(text, { headers: { "Content-Type": "text/event-stream" } });
}

function answering(...answers: Response[]) {
  const sent: (string | undefined)[] = [];
  vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Record<string, string> }) => {
    sent.push(headers["Last-Event-ID"]);
    const next = answers.shift();
    if (!next) throw new Error("asked too often");
    return next;
  });
  return sent;
}

afterEach(() => vi.unstubAllGlobals());

test("a stream is up once the server has answered, also when nothing happens", async () => {
  answering(streamOf(":\n\n"));
  const links: boolean[] = [];
  const { signal } = new AbortController();

  await followEvents("/events", { signal, onLink: (up) => links.push(up) }, () => undefined);

  expect(links).toEqual([true, false]);
});

test("a refused stream was never up", async () => {
  answering(new Response("{}", { status: 403 }));
  const links: boolean[] = [];
  const { signal } = new AbortController();
  const ended = followEvents(
    "/events",
    { signal, onLink: (up) => links.push(up) },
    () => undefined,
  );

  await expect(ended).rejects.toThrow();
  expect(links).toEqual([false]);
});

test("a cursor that the server does not know is dropped, and the stream goes on", async () => {
  const sent = answering(new Response("{}", { status: 400 }), streamOf("id: 1.1\ndata: a\n\n"));
  const taken: string[] = [];
  const { signal } = new AbortController();

  await followEvents("/events", { signal, lastEventId: "9.9" }, (event) => taken.push(event.data));

  expect(sent).toEqual(["9.9", undefined]);
  expect(taken).toEqual(["a"]);
});

test("a request that is wrong without a cursor is not sent again", async () => {
  const sent = answering(new Response("{}", { status: 400 }));
  const { signal } = new AbortController();

  await expect(followEvents("/events", { signal }, () => undefined)).rejects.toThrow();
  expect(sent).toHaveLength(1);
});

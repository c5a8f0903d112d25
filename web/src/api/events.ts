// Server-sent events by fetch: unlike EventSource it tells why a stream was refused, and sends what
// the server needs to go on where a broken stream stopped.
import { ApiError, address, problemOf, type Query, sessionEnded } from "./client";
import { noteContact, noteSilence } from "./connection";

export interface ServerEvent {
  name: string;
  data: string;
  id: string;
}

// Cuts what comes over the wire into events; keeps what is not whole yet.
export class EventCutter {
  private rest = "";
  private held = ""; // a \r at the end: whether \n belongs to it comes with the next piece
  private lastId = "";

  push(text: string): ServerEvent[] {
    const input = this.held + text;
    this.held = input.endsWith("\r") ? "\r" : "";
    this.rest += input.slice(0, input.length - this.held.length).replace(/\r\n?/g, "\n");
    const events: ServerEvent[] = [];
    for (let end = this.rest.indexOf("\n\n"); end >= 0; end = this.rest.indexOf("\n\n")) {
      const block = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + 2);
      const event = this.read(block);
      if (event) events.push(event);
    }
    return events;
  }

  private read(block: string): ServerEvent | undefined {
    let name = "message";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) continue;
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") name = value;
      if (field === "data") data.push(value);
      if (field === "id") this.lastId = value;
    }
    return data.length > 0 ? { name, data: data.join("\n"), id: this.lastId } : undefined;
  }
}

export interface StreamOptions {
  query?: Query;
  signal: AbortSignal;
  lastEventId?: string;
  onOpen?: () => void; // the server has answered, whether or not something happens
}

// One stream, until its end, an error or the signal.
export async function* openEvents(path: string, options: StreamOptions) {
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (options.lastEventId) headers["Last-Event-ID"] = options.lastEventId;
  const answer = await fetch(address(path, options.query), {
    headers,
    credentials: "same-origin",
    signal: options.signal,
  });
  noteContact();
  if (!answer.ok || !answer.body) {
    const problem = await problemOf(answer);
    if (problem.status === 401) sessionEnded();
    throw problem;
  }
  options.onOpen?.();
  const cutter = new EventCutter();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    noteContact();
    yield* cutter.push(value);
  }
}

const pauseFirst = 1_000;
const pauseMost = 30_000;

function pause(span: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, span);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

// Follows a stream over lost connections without a gap. Ends when the server ends it and `endless`
// is not said, or when it refuses for good (no such thing, no right).
export async function followEvents(
  path: string,
  options: StreamOptions & { endless?: boolean; onLink?: (up: boolean) => void },
  take: (event: ServerEvent) => void,
): Promise<void> {
  let lastEventId = options.lastEventId ?? "";
  let wait = pauseFirst;
  const onOpen = () => options.onLink?.(true);
  while (!options.signal.aborted) {
    try {
      for await (const event of openEvents(path, { ...options, lastEventId, onOpen })) {
        if (event.id) lastEventId = event.id;
        wait = pauseFirst;
        take(event);
      }
      options.onLink?.(false);
      if (!options.endless) return;
    } catch (failure) {
      if (options.signal.aborted) return;
      options.onLink?.(false);
      if (!(failure instanceof ApiError)) noteSilence();
      // Where it stopped is not known there any more, such as after a restore: it goes on from now.
      if (failure instanceof ApiError && failure.status === 400 && lastEventId !== "") {
        lastEventId = "";
        continue;
      }
      if (failure instanceof ApiError && !failure.passing && failure.status < 500) throw failure;
    }
    await pause(wait, options.signal);
    wait = Math.min(wait * 2, pauseMost);
  }
}

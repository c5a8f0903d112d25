// Whether the server answers, and when it last did.

export interface Connection {
  up: boolean;
  lastContact: number; // of the last answer before the connection was lost
}

const pingTimeoutMs = 5_000;
const pingEveryMs = 3_000; // while the server is away
const quietMostMs = 15_000; // without any answer it is asked

let lastContact = Date.now();
let state: Connection = { up: true, lastContact };
let checking = false;
const watchers = new Set<() => void>();

function change(up: boolean): void {
  if (state.up === up) return;
  state = { up, lastContact };
  for (const watcher of watchers) watcher();
}

// Any answer, also a refusal.
export function noteContact(): void {
  lastContact = Date.now();
  change(true);
}

// No answer came. One lost request is no lost server: it is asked once more.
export function noteSilence(): void {
  if (state.up && !checking) void check();
}

async function check(): Promise<void> {
  checking = true;
  const up = await serverAnswers();
  checking = false;
  change(up);
  if (!up) setTimeout(() => void check(), pingEveryMs);
}

// Asks for something small that needs no session.
export async function serverAnswers(): Promise<boolean> {
  try {
    await fetch("/ui/icon.svg", {
      cache: "no-store",
      signal: AbortSignal.timeout(pingTimeoutMs),
    });
    return true;
  } catch {
    return false;
  }
}

// A server that hangs refuses nothing: whoever hears nothing for long asks.
export function checkWhenQuiet(now = Date.now()): void {
  if (now - lastContact > quietMostMs) noteSilence();
}

export function watchConnection(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

export function connection(): Connection {
  return state;
}

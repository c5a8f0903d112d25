// How pages speak with the server: typed answers, problems as errors, the word against forgery.
import { editFor } from "./common";
import { noteContact, noteSilence } from "./connection";
import { noteServerTime } from "./serverTime";

export interface Problem {
  status: number;
  title: string;
  detail: string;
  retryAfter?: number; // seconds
}

// What went wrong, as the server said it (RFC 9457), or as the browser did.
export class ApiError extends Error {
  readonly status: number;
  readonly title: string;
  readonly retryAfter: number | undefined;

  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.name = "ApiError";
    this.status = problem.status;
    this.title = problem.title;
    this.retryAfter = problem.retryAfter;
  }

  // Whether a change was done all the same is not known: no answer came, or the server has none.
  get unsure(): boolean {
    return this.status === 0 || (this.status >= 500 && this.status !== 503);
  }

  // Asking again later may help: nothing was done.
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}

type Argument = string | number | boolean | undefined | null;
export type Query = Record<string, Argument>;

export interface Options {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

let csrf = "";
let onSessionEnd: () => void = () => undefined;

export function setCsrf(word: string): void {
  csrf = word;
}

// Told whenever the server says that nobody is logged in (any more).
export function whenSessionEnds(tell: () => void): void {
  onSessionEnd = tell;
}

export function sessionEnded(): void {
  onSessionEnd();
}

export function address(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

// One part of a path, whatever is in it: system names, zones, labels.
export function part(text: string | number): string {
  return encodeURIComponent(String(text));
}

export async function problemOf(answer: Response): Promise<ApiError> {
  const after = Number(answer.headers.get("Retry-After") ?? Number.NaN);
  const retryAfter = Number.isFinite(after) ? after : undefined;
  const fallback = answer.statusText || `server returned status ${answer.status}`;
  try {
    const problem = (await answer.json()) as { title?: string; detail?: string };
    return new ApiError({
      status: answer.status,
      title: problem.title ?? fallback,
      detail: problem.detail ?? problem.title ?? fallback,
      retryAfter,
    });
  } catch {
    return new ApiError({ status: answer.status, title: fallback, detail: fallback, retryAfter });
  }
}

// A change may have been done by a server whose answer was lost.
export const noResponse =
  "No response from the server. The change may have been applied; check before you retry.";

function silence(method: string, path: string): string {
  return method === "GET" || path.endsWith("/preview")
    ? "No response from the server. Data may be out of date; retrying."
    : noResponse;
}

export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  if (method !== "GET") headers["X-Muster-CSRF"] = csrf;
  const edit = editFor(method, path);
  if (edit !== "") headers["Muster-Edit"] = edit;
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  let answer: Response;
  try {
    answer = await fetch(address(path, options.query), {
      method,
      headers,
      credentials: "same-origin",
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
    });
  } catch (failure) {
    if (options.signal?.aborted) throw failure;
    noteSilence();
    throw new ApiError({
      status: 0,
      title: "Server not reachable",
      detail: silence(method, path),
    });
  }
  noteContact();
  noteServerTime(answer.headers.get("Date"));
  if (answer.ok) return answer;
  const problem = await problemOf(answer);
  if (problem.status === 401 && !path.endsWith("/login")) onSessionEnd();
  throw problem;
}

async function json<T>(method: string, path: string, options: Options): Promise<T> {
  const answer = await send(method, path, options);
  if (answer.status === 204) return undefined as T;
  return (await answer.json()) as T;
}

export const api = {
  get: <T>(path: string, options: Options = {}) => json<T>("GET", path, options),
  post: <T>(path: string, body: unknown = {}, options: Options = {}) =>
    json<T>("POST", path, { ...options, body }),
  put: <T>(path: string, body: unknown, options: Options = {}) =>
    json<T>("PUT", path, { ...options, body }),
  patch: <T>(path: string, body: unknown, options: Options = {}) =>
    json<T>("PATCH", path, { ...options, body }),
  remove: <T>(path: string, options: Options = {}) => json<T>("DELETE", path, options),
};

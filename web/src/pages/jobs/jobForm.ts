// What is written in the form, as the request it becomes, and as the same on the command line.
import { commandLine } from "../../api/cli";
import { wordsOf } from "../../components/words";
import { chainWords, emptyStep, type Step, stepOf, stepProblem, writtenAs } from "./chain";
import type { FullJob } from "./types";

export type Work =
  | "cmd.run"
  | "script.run"
  | "test.ping"
  | "facts.get"
  | "system.reboot"
  | "chain"
  | "other";

export interface JobForm {
  query: string;
  work: Work;
  command: string; // of cmd.run and script.run
  functionName: string; // of other
  argumentsText: string; // of other: JSON
  steps: Step[]; // of chain
  parents: string; // jobs that must have completed before
  note: string;
  at: string; // of an <input type="datetime-local">, in the user's zone
  windows: "usual" | "respect" | "start" | "ignore" | "override"; // usual: by what is run
  batch: string;
  batchWait: string;
  rate: string;
  canary: string;
  canaryWait: string;
  maxFailures: string;
  retries: string;
  retryWait: string;
  timeout: string;
  expiresAfter: string;
  onReturn: boolean;
  mayRunAgain: boolean;
  priority: string;
}

export const emptyJobForm: JobForm = {
  query: "",
  work: "cmd.run",
  command: "",
  functionName: "",
  argumentsText: "{}",
  steps: [emptyStep, emptyStep],
  parents: "",
  note: "",
  at: "",
  windows: "usual",
  batch: "",
  batchWait: "",
  rate: "",
  canary: "",
  canaryWait: "",
  maxFailures: "",
  retries: "",
  retryWait: "",
  timeout: "",
  expiresAfter: "",
  onReturn: true,
  mayRunAgain: false,
  priority: "",
};

export type Problems = Partial<Record<keyof JobForm, string>>;

const amount = /^\d+(\.\d+)?\s*%?$/;
const spanText = /^(\d+(\.\d+)?(ms|s|m|h|d|w))+$/;

// What can be said without asking the server; it checks everything again.
export function problemsOf(wish: JobForm): Problems {
  const problems: Problems = {};
  if (wish.query.trim() === "") problems.query = "Enter a query. * matches all systems.";
  if ((wish.work === "cmd.run" || wish.work === "script.run") && wish.command.trim() === "")
    problems.command = "Enter a command or script.";
  if (wish.work === "other" && wish.functionName.trim() === "")
    problems.functionName = "Enter a function.";
  if (wish.work === "other" && readArguments(wish.argumentsText) === undefined)
    problems.argumentsText = 'Enter a JSON object, for example {"cmd": "uptime"}.';
  if (wish.work === "chain") {
    const wrong = wish.steps.map((step, at) => stepProblem(step, at + 1)).filter(Boolean);
    if (wrong.length > 0) problems.steps = wrong.join(" ");
    if (wish.steps.some(({ timeout }) => timeout !== "" && !spanText.test(timeout)))
      problems.steps = "Enter the time limit of a step as a duration, for example 30s, 10m or 2h.";
  }
  if (!wordsOf(wish.parents).every((word) => /^\d{20}$/.test(word)))
    problems.parents = "Enter job IDs of 20 digits, separated by spaces.";
  for (const name of ["batch", "canary", "maxFailures"] as const)
    if (wish[name] !== "" && !amount.test(wish[name]))
      problems[name] = "Enter a number or percentage, for example 10 or 25%.";
  for (const name of ["batchWait", "canaryWait", "retryWait", "timeout", "expiresAfter"] as const)
    if (wish[name] !== "" && !spanText.test(wish[name]))
      problems[name] = "Enter a duration, for example 30s, 10m or 2h.";
  if (wish.rate !== "" && !(Number(wish.rate) > 0))
    problems.rate = "Enter task starts per second, for example 5.";
  for (const name of ["retries", "priority"] as const)
    if (wish[name] !== "" && !/^-?\d+$/.test(wish[name])) problems[name] = "Enter a whole number.";
  if (wish.at !== "" && Number.isNaN(Date.parse(wish.at))) problems.at = "Enter a date and time.";
  return problems;
}

function readArguments(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function workOf(wish: JobForm): Record<string, unknown> {
  switch (wish.work) {
    case "chain":
      return { steps: wish.steps.map(stepOf) };
    case "cmd.run":
      return { function: "cmd.run", arguments: { cmd: wish.command } };
    case "script.run":
      return { function: "script.run", arguments: { content: wish.command } };
    case "other":
      return {
        function: wish.functionName.trim(),
        arguments: readArguments(wish.argumentsText) ?? {},
      };
    default:
      return { function: wish.work, arguments: {} };
  }
}

const askAbove = 1_000; // as the command line does

// Whether to ask before it is run: on many systems, or on nobody knows how many.
export function mustAsk(wish: JobForm, targets: number | undefined): boolean {
  return targets === undefined || targets > askAbove || wish.query.trim() === "*";
}

// Whether the answer to what is written is still to come. "null" is nothing that could be asked.
export function isBehind(written: string, sent: string, pending: boolean): boolean {
  return written !== sent || (sent !== "null" && pending);
}

export function requestOf(wish: JobForm): Record<string, unknown> {
  const body: Record<string, unknown> = { query: wish.query.trim(), ...workOf(wish) };
  const put = (name: string, value: unknown, unless: unknown = "") => {
    if (value !== unless) body[name] = value;
  };
  if (wish.parents.trim() !== "") body.parents = wordsOf(wish.parents);
  put("note", wish.note.trim());
  if (wish.at !== "") body.at = new Date(wish.at).toISOString().replace(/\.\d+Z$/, "Z");
  put("windows", wish.windows, "usual");
  put("batch", wish.batch.replace(/\s/g, ""));
  put("batch_wait", wish.batchWait);
  if (wish.rate !== "") body.rate = Number(wish.rate);
  put("canary", wish.canary.replace(/\s/g, ""));
  put("canary_wait", wish.canaryWait);
  put("max_failures", wish.maxFailures.replace(/\s/g, ""));
  if (wish.retries !== "") body.retries = Number(wish.retries);
  put("retry_wait", wish.retryWait);
  put("timeout", wish.timeout);
  put("expires_after", wish.expiresAfter);
  put("on_return", wish.onReturn, true);
  put("may_run_again", wish.mayRunAgain, false);
  if (wish.priority !== "") body.priority = Number(wish.priority);
  return body;
}

export function commandOf(wish: JobForm): string {
  const body = requestOf(wish);
  const words: (string | number)[] = ["muster", "run", String(body.query)];
  const flag = (name: string, value: unknown) => {
    if (value !== undefined) words.push(`--${name}`, String(value));
  };
  flag("at", body.at);
  flag("window", body.windows);
  flag("batch", body.batch);
  flag("batch-wait", body.batch_wait);
  flag("rate", body.rate);
  flag("canary", body.canary);
  flag("canary-wait", body.canary_wait);
  flag("max-failures", body.max_failures);
  flag("retry", body.retries);
  flag("retry-wait", body.retry_wait);
  flag("timeout", body.timeout);
  flag("expires", body.expires_after);
  flag("priority", body.priority);
  flag("note", body.note);
  if (body.may_run_again) words.push("--may-run-again");
  if (body.on_return === false) words.push("--no-on-return");
  for (const word of wordsOf(wish.parents)) words.push("--after", word);
  if (wish.work === "chain") return commandLine(...words, ...chainWords(wish.steps));
  if (wish.work === "cmd.run") return commandLine(...words, "--", wish.command);
  words.push("--function", String(body.function));
  for (const [name, value] of Object.entries(body.arguments as Record<string, unknown>))
    words.push(
      "--arg",
      typeof value === "string" ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
    );
  return commandLine(...words);
}

// From links such as /jobs/new?q=tag:db&cmd=uptime.
export function jobFormFromSearch(search: URLSearchParams): JobForm {
  const functionName = search.get("function") ?? "";
  const functions = ["cmd.run", "script.run", "test.ping", "facts.get", "system.reboot"];
  const work = functionName === "" ? "cmd.run" : functionName;
  return {
    ...emptyJobForm,
    query: search.get("q") ?? search.get("query") ?? "",
    command: search.get("cmd") ?? "",
    work: functions.includes(work) ? (work as Work) : "other",
    functionName: functions.includes(work) ? "" : functionName,
    argumentsText: search.get("arguments") ?? "{}",
    parents: search.get("after") ?? "",
  };
}

// The same once more, to be changed before it is sent.
export function jobFormFromJob(job: FullJob): JobForm {
  const args = (job.arguments ?? {}) as Record<string, unknown>;
  const { options } = job;
  const plain =
    (job.function === "cmd.run" &&
      Object.keys(args).join() === "cmd" &&
      typeof args.cmd === "string") ||
    (job.function === "script.run" && Object.keys(args).join() === "content");
  const bare = ["test.ping", "facts.get", "system.reboot"].includes(job.function);
  const steps = job.function === "chain.run" && Array.isArray(args.steps) ? args.steps : null;
  const isOther = !plain && !bare && !steps;
  return {
    ...emptyJobForm,
    query: job.query,
    work: steps ? "chain" : isOther ? "other" : (job.function as Work),
    command: plain ? String(args.cmd ?? args.content ?? "") : "",
    functionName: isOther ? job.function : "",
    argumentsText: isOther ? JSON.stringify(args) : "{}",
    steps: steps ? steps.map(writtenAs) : emptyJobForm.steps,
    note: job.note,
    windows: options.windows === "ignore" ? "usual" : options.windows,
    batch: options.batch ?? "",
    rate: options.rate === null ? "" : String(options.rate),
    canary: options.canary ?? "",
    maxFailures: options.max_failures ?? "",
    retries: options.retries === 0 ? "" : String(options.retries),
    onReturn: options.on_return,
    mayRunAgain: options.may_run_again,
  };
}

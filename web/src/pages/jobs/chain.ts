// The steps of a chain as they are written, as the API takes them, and as on the command line
// (docs/concepts/jobs.md): a step is a line for the shell, the name of a function, or an object in JSON.

export interface Step {
  text: string;
  timeout: string;
}

export const emptyStep: Step = { text: "", timeout: "" };
export const stepsMost = 32;

const functions = ["test.ping", "facts.get", "system.reboot", "agent.update"];

interface Written {
  function: string;
  arguments?: Record<string, unknown>;
  timeout?: string;
}

function isObject(text: string): boolean {
  return text.trim().startsWith("{");
}

function readObject(text: string): Written | undefined {
  try {
    const read = JSON.parse(text) as Partial<Written>;
    return typeof read.function === "string" ? (read as Written) : undefined;
  } catch {
    return undefined;
  }
}

// What is wrong with a step; it is counted from one.
export function stepProblem({ text }: Step, number: number): string | undefined {
  if (text.trim() === "") return `Step ${number} is empty.`;
  if (isObject(text) && !readObject(text))
    return `Step ${number} needs a "function", for example {"function": "test.ping"}.`;
  return undefined;
}

export function stepOf({ text, timeout }: Step): Written {
  const time = timeout === "" ? {} : { timeout };
  const line = text.trim();
  if (isObject(line)) return { ...(readObject(line) ?? { function: "" }), ...time };
  if (functions.includes(line)) return { function: line, ...time };
  return { function: "cmd.run", arguments: { cmd: line }, ...time };
}

// The way back: a step of a job that there is, to be changed.
export function writtenAs(step: unknown): Step {
  const { timeout = "", ...rest } = step as Written;
  const stepArguments = rest.arguments ?? {};
  const names = Object.keys(stepArguments).join();
  if (names === "" && functions.includes(rest.function)) return { text: rest.function, timeout };
  if (rest.function === "cmd.run" && names === "cmd" && typeof stepArguments.cmd === "string")
    return { text: stepArguments.cmd, timeout };
  return { text: JSON.stringify(rest), timeout };
}

// As words of a command line; what only a file can say is said by one.
export function chainWords(steps: Step[]): string[] {
  if (steps.some((step) => step.timeout !== "" || isObject(step.text)))
    return ["--chain", "FILE.yaml"];
  return steps.flatMap((step) => ["--step", step.text.trim()]);
}

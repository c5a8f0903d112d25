// The same thing on the command line.
import type { Group } from "./types";

const harmless = /^[A-Za-z0-9_\-.,/:@%+=]+$/;

// A word as a POSIX shell reads it.
export function shellWord(text: string): string {
  if (harmless.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function commandLine(...words: (string | number | undefined)[]): string {
  return words
    .filter((word) => word !== undefined)
    .map((word) => shellWord(String(word)))
    .join(" ");
}

// `set` stands in the place of what was there: what is left out of it is gone.
export function groupCommand(verb: "add" | "set", group: Group): string {
  const { name, expression, description } = group;
  return commandLine(
    "muster",
    "groups",
    verb,
    name.trim() || "NAME",
    expression.trim() || "EXPRESSION",
    ...(description === "" ? [] : ["--description", description]),
  );
}

// The same thing on the command line.

const harmless = /^[A-Za-z0-9_\-.,/:@%+=]+$/;

// A word as a POSIX shell reads it.
export function shellWord(text: string): string {
  if (harmless.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function commandLine(...words: (string | number | undefined)[]): string {
  return words
    .filter((each) => each !== undefined)
    .map((each) => shellWord(String(each)))
    .join(" ");
}

export const calendarBytesMost = 1024 * 1024; // as the server has it

// A calendar's name from its file's.
export function labelOf(file: string): string {
  return file
    .replace(/\.[^.]*$/, "")
    .trim()
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^-+|-+$/g, "");
}

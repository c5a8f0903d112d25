// Expressions made by the pages themselves (docs/howto/find_systems.md), and what the server says of them.
import { ApiError } from "./client";

// A word as an expression's value.
export function word(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `"${text.replaceAll('"', "")}"`;
}

export function isAll(query: string): boolean {
  return query.trim() === "" || query.trim() === "*";
}

// What stands before an expression that is limited to a zone.
function limitOf(zone: string): string {
  return `zone:${word(zone)} and ( `;
}

// An expression, limited to a zone; "" is the whole cluster. Only what is an expression by itself
// stays within the zone: see askWithin.
export function withinZone(query: string, zone: string): string {
  if (zone === "") return query;
  return isAll(query) ? `zone:${word(zone)}` : `${limitOf(zone)}${query} )`;
}

// Asks the server about an expression within a zone. It must be one by itself, or `a ) or ( b` would
// lead out of the zone; and places of errors are told in what was written, not in what was made of it.
export async function askWithin<T extends object>(
  { text, zone }: { text: string; zone: string },
  ask: (query: string) => Promise<T & { notes?: string[] }>,
): Promise<T & { notes?: string[] }> {
  if (zone === "" || isAll(text)) return ask(withinZone(text, zone));
  if (text.includes(")")) await ask(text);
  try {
    const answer = await ask(withinZone(text, zone));
    if (!answer.notes) return answer;
    return {
      ...answer,
      notes: answer.notes.map((note) => movedBack(note, bytesOf(limitOf(zone)))),
    };
  } catch (failure) {
    if (failure instanceof ApiError && failure.status === 400) await ask(text);
    throw failure;
  }
}

// The server counts bytes, from one: "at 9: a condition is missing here".
const placeForm = /\bat (\d+): /;

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function movedBack(message: string, bytes: number): string {
  return message.replace(placeForm, (_, at: string) => `at ${Number(at) - bytes}: `);
}

export interface Marked {
  before: string;
  mark: string;
  after: string;
  message: string; // with the place counted as one sees it
}

// Where in an expression a message of the server means; nothing if it names no place.
export function markedBy(text: string, message: string): Marked | undefined {
  const match = placeForm.exec(message);
  if (!match) return undefined;
  const bytes = Number(match[1]) - 1;
  const letters = [...text];
  let at = 0;
  for (let passed = 0; at < letters.length; at += 1) {
    passed += bytesOf(letters[at] ?? "");
    if (passed > bytes) break;
  }
  return {
    before: letters.slice(0, at).join(""),
    mark: letters[at] ?? " ",
    after: letters.slice(at + 1).join(""),
    message: message.replace(placeForm, `at ${at + 1}: `),
  };
}

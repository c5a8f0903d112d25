// What could be written next in an expression (docs/howto/find_systems.md). Pure: text and caret in,
// proposals out.

export interface CompletionTerms {
  zones?: string[];
  nodes?: string[];
  groups?: string[];
  tags?: string[];
}

export interface Proposal {
  text: string; // what takes the place of the word at the caret
  about: string;
}

export interface Completion {
  from: number; // the word that is replaced
  to: number;
  proposals: Proposal[];
}

const fields: Proposal[] = [
  { text: "name:", about: "name pattern: web*.acme.org" },
  { text: "tag:", about: "has a tag" },
  { text: "group:", about: "member of a group" },
  { text: "zone:", about: "in a zone" },
  { text: "state:", about: "onboarded or orphan" },
  { text: "node:", about: "attached to a node" },
  { text: "os:", about: "fact: operating system" },
  { text: "kernel:", about: "fact: kernel" },
  { text: "fact.", about: "any fact by path: fact.serial:4711" },
  { text: "number:", about: "system number" },
  { text: "machine:", about: "machine ID" },
  { text: "fp:", about: "fingerprint" },
  { text: "S@", about: "address or network: S@10.1.0.0/16" },
  { text: "E@", about: "name by regular expression" },
  { text: "L@", about: "list of names: L@web1,web2" },
];
const operators: Proposal[] = [
  { text: "and ", about: "both" },
  { text: "or ", about: "either" },
  { text: "not ", about: "negation" },
];
const shownMost = 12;

function quoted(value: string): string {
  return /^[\w.*?@=+/-]+$/.test(value) ? value : `"${value}"`;
}

function valuesOf(field: string, terms: CompletionTerms): string[] {
  switch (field) {
    case "state":
      return ["onboarded", "orphan", "accepted"];
    case "zone":
      return terms.zones ?? [];
    case "node":
      return terms.nodes ?? [];
    case "group":
    case "N":
      return terms.groups ?? [];
    case "tag":
      return terms.tags ?? [];
    default:
      return [];
  }
}

// The word that the caret is in or behind: from the last blank or parenthesis on.
function wordAt(text: string, caret: number): { from: number; word: string } {
  let from = caret;
  while (from > 0 && !/[\s()]/.test(text[from - 1] ?? "")) from -= 1;
  return { from, word: text.slice(from, caret) };
}

// Whether a whole condition stands before, so that an operator may follow.
function afterCondition(before: string): boolean {
  const words = before.trim().split(/\s+/).filter(Boolean);
  const last = words[words.length - 1]?.toLowerCase();
  return last !== undefined && !["and", "or", "not", "("].includes(last) && !last.endsWith("(");
}

export function complete(text: string, caret: number, terms: CompletionTerms): Completion {
  const { from, word } = wordAt(text, caret);
  const colon = word.search(/[:@]/);
  const prefix = word.toLowerCase();
  let proposals: Proposal[];
  if (colon > 0) {
    const field = word.slice(0, colon);
    const start = word
      .slice(colon + 1)
      .replace(/^"/, "")
      .toLowerCase();
    proposals = valuesOf(field, terms)
      .filter((value) => value.toLowerCase().startsWith(start))
      .map((value) => ({ text: `${word.slice(0, colon + 1)}${quoted(value)} `, about: field }))
      .filter((proposal) => proposal.text.trim() !== word);
  } else {
    const candidates = afterCondition(text.slice(0, from))
      ? [...operators, ...fields]
      : [...fields, ...operators.filter((operator) => operator.text === "not ")];
    proposals = candidates.filter((proposal) => proposal.text.toLowerCase().startsWith(prefix));
  }
  return { from, to: caret, proposals: proposals.slice(0, shownMost) };
}

export function take(
  text: string,
  completion: Completion,
  proposal: Proposal,
): { text: string; caret: number } {
  const rest = text
    .slice(completion.to)
    .replace(/^\s+/, (blank) => (proposal.text.endsWith(" ") ? "" : blank));
  return {
    text: text.slice(0, completion.from) + proposal.text + rest,
    caret: completion.from + proposal.text.length,
  };
}

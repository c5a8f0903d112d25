// What a task writes while it runs, piece by piece, in bounded memory. Pure.

export interface LiveOutput {
  text: string;
  state: string;
  remark: string;
  ended: boolean;
  cut: boolean; // the beginning was dropped
}

export const nothingYet: LiveOutput = {
  text: "",
  state: "",
  remark: "",
  ended: false,
  cut: false,
};

const keptMost = 400_000; // characters

function textIn(told: Record<string, unknown>): string {
  if (typeof told.text === "string") return told.text;
  if (typeof told.base64 === "string") {
    const raw = Uint8Array.from(atob(told.base64), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8").decode(raw);
  }
  return "";
}

// Adds one event of the stream to what is shown.
export function withEvent(is: LiveOutput, name: string, data: string): LiveOutput {
  const told = JSON.parse(data) as Record<string, unknown>;
  switch (name) {
    case "output":
      return kept({ ...is, text: is.text + textIn(told) });
    case "gap":
      return kept({ ...is, text: `${is.text}\n[… ${told.size} bytes were not shown …]\n` });
    case "state":
      return { ...is, state: String(told.state ?? ""), remark: String(told.remark ?? "") };
    case "end":
      return { ...is, ended: true, state: String(told.state ?? is.state) };
    default:
      return is;
  }
}

function kept(is: LiveOutput): LiveOutput {
  if (is.text.length <= keptMost) return is;
  return { ...is, text: is.text.slice(-keptMost), cut: true };
}

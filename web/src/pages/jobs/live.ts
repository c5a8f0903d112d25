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

function textIn(chunk: Record<string, unknown>): string {
  if (typeof chunk.text === "string") return chunk.text;
  if (typeof chunk.base64 === "string") {
    const raw = Uint8Array.from(atob(chunk.base64), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8").decode(raw);
  }
  return "";
}

// Adds one event of the stream to what is shown.
export function withEvent(is: LiveOutput, name: string, data: string): LiveOutput {
  const chunk = JSON.parse(data) as Record<string, unknown>;
  switch (name) {
    case "output":
      return truncate({ ...is, text: is.text + textIn(chunk) });
    case "gap":
      return truncate({ ...is, text: `${is.text}\n[… ${chunk.size} bytes not shown …]\n` });
    case "state":
      return { ...is, state: String(chunk.state ?? ""), remark: String(chunk.remark ?? "") };
    case "end":
      return { ...is, ended: true, state: String(chunk.state ?? is.state) };
    default:
      return is;
  }
}

function truncate(is: LiveOutput): LiveOutput {
  if (is.text.length <= keptMost) return is;
  return { ...is, text: is.text.slice(-keptMost), cut: true };
}

// What a task wrote: standard output, errors, exit code; or how it differs from another one's.
import { lineDiff } from "./lineDiff";

export interface TaskOutput {
  stdout?: string;
  stderr?: string;
  exit_code?: number;
  truncated?: boolean;
  [member: string]: unknown;
}

export function outputText(output: unknown): string {
  if (output === null || output === undefined) return "";
  if (typeof output === "string") return output;
  const { stdout, stderr } = output as TaskOutput;
  if (stdout === undefined && stderr === undefined) return JSON.stringify(output, null, 2);
  return [stdout, stderr].filter(Boolean).join("\n");
}

export function Output({ output }: { output: unknown }) {
  const taskOutput = (output ?? {}) as TaskOutput;
  const usual = typeof output === "object" && ("stdout" in taskOutput || "stderr" in taskOutput);
  if (!usual) {
    const text = outputText(output);
    return text === "" ? <p className="quiet">No output.</p> : <pre className="output">{text}</pre>;
  }
  return (
    <>
      {taskOutput.stdout && <pre className="output">{taskOutput.stdout}</pre>}
      {taskOutput.stderr && (
        <>
          <div className="output-name">stderr</div>
          <pre className="output output-errors">{taskOutput.stderr}</pre>
        </>
      )}
      {!taskOutput.stdout && !taskOutput.stderr && <p className="quiet">No output.</p>}
      {taskOutput.truncated && <p className="quiet">Output truncated.</p>}
    </>
  );
}

const marks = { same: " ", added: "+", removed: "−" };
const words = { same: "", added: "added: ", removed: "removed: " };

export function OutputDiff({ before, after }: { before: unknown; after: unknown }) {
  const lines = lineDiff(outputText(before), outputText(after));
  if (!lines) return <p className="quiet">The outputs are too long to compare.</p>;
  if (lines.every((line) => line.kind === "same"))
    return <p className="quiet">No changes since the previous run.</p>;
  return (
    <pre className="output">
      {lines.map((line, index) => (
        <span key={index} className={`diff diff-${line.kind}`}>
          <span aria-hidden="true">{marks[line.kind]} </span>
          <span className="visually-hidden">{words[line.kind]}</span>
          {line.text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

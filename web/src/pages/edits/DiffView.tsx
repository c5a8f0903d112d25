// Removed and added lines, each with a sign: colour alone is not enough.
import type { DiffLine } from "../../components/lineDiff";

const signs = { same: " ", added: "+", removed: "-" };

export function DiffView({ lines, label }: { lines: DiffLine[]; label: string }) {
  return (
    <section className="draft-diff" aria-label={label} tabIndex={0}>
      {lines.map((line, n) => (
        <div key={n} className={`draft-line draft-${line.kind}`}>
          <span aria-hidden="true">{signs[line.kind]}</span>
          {line.kind !== "same" && (
            <span className="visually-hidden">{line.kind === "added" ? "added " : "removed "}</span>
          )}
          <span>{line.text}</span>
        </div>
      ))}
    </section>
  );
}

// Whom a dialog is about, in full: the expression as the server gets it, or those picked.
import { namesOf, type Target } from "./target";

export function TargetSummary({ target }: { target: Target }) {
  if (target.names) return <p className="meant">{namesOf(target.names)}</p>;
  return (
    <p className="meant">
      All systems that match <code>{target.query}</code>
    </p>
  );
}

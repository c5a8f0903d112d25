// Shown on every page while common data is being edited: by whom, and a link to the draft.
import { Link } from "react-router-dom";
import { useMay } from "../app/session";
import { useEditing } from "./editing";
import { plural } from "./format";
import "./EditingBar.css";

function names(users: string[]): string {
  return [...new Set(users)].join(", ");
}

export function EditingBar() {
  const { state, own, others } = useEditing();
  const may = useMay("common.edit");
  if (!state || (!own && others.length === 0)) return null;
  const editors = names(others.map((edit) => edit.user));
  return (
    <div className={others.length > 0 ? "editing editing-warn" : "editing"} role="status">
      {own ? (
        <>
          <strong>You are editing common data.</strong> Draft:{" "}
          {plural(state.draft.changes, "change")}.
          {others.length > 0 && ` Also editing: ${editors}.`}
        </>
      ) : (
        <>
          <strong>{editors}</strong> {others.length === 1 ? "is" : "are"} editing common data.
          Groups, maintenance schedules, accept rules and roles cannot be changed until the draft is
          applied
          {may ? ", unless you start your own edit session." : "."}
        </>
      )}
      {state.leader && <span className="quiet"> Leader: {state.leader.server}.</span>}{" "}
      <Link to="/edits">{own ? "Open draft" : "Edit sessions"}</Link>
    </div>
  );
}

// Says on every page that common data is being edited, by whom, and where that goes.
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
          <strong>You edit common data.</strong> Changes go into the draft:{" "}
          {plural(state.draft.changes, "change")} so far.
          {others.length > 0 && ` ${editors} ${others.length === 1 ? "edits" : "edit"}, too.`}
        </>
      ) : (
        <>
          <strong>{editors}</strong> {others.length === 1 ? "edits" : "edit"} common data: groups,
          windows, rules and roles cannot be changed until that is applied
          {may ? ", unless you edit, too." : "."}
        </>
      )}
      {state.leader && <span className="quiet"> Leader: {state.leader.server}.</span>}{" "}
      <Link to="/edits">{own ? "Draft and apply" : "Edit sessions"}</Link>
    </div>
  );
}

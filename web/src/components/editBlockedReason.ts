// Why common data cannot be changed from here now (docs/revisions.md); nothing if it can.
import type { Edit, EditsState } from "./editTypes";

interface EditState {
  state: Pick<EditsState, "draft"> | undefined;
  own: Edit | undefined;
  others: Edit[];
}

export function editBlockedReason(
  { state, own, others }: EditState,
  mayEdit: boolean,
): string | undefined {
  if (state?.draft.state === "applying")
    return "The cluster update is being applied; this can be changed when it is done.";
  if (own || others.length === 0) return undefined;
  const editors = [...new Set(others.map((edit) => edit.user))];
  const instead = mayEdit ? ", or within an edit session of your own" : "";
  return `${editors.join(", ")} ${editors.length === 1 ? "edits" : "edit"} common data. This can be changed when that is applied${instead}.`;
}

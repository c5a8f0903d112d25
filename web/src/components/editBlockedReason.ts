// Why common data cannot be changed now (docs/concepts/drafts.md); undefined if it can.
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
    return "The draft is being applied. Try again when it is done.";
  if (own || others.length === 0) return undefined;
  const editors = [...new Set(others.map((edit) => edit.user))];
  const verb = editors.length === 1 ? "is" : "are";
  const instead = mayEdit ? ", or start your own edit session" : "";
  return `${editors.join(", ")} ${verb} editing common data. Wait until the draft is applied${instead}.`;
}

// Creates or edits a group.
import { FormGroup } from "@patternfly/react-core";
import { useState } from "react";
import { groupCommand } from "../../api/cli";
import { api, part } from "../../api/client";
import type { Group } from "../../api/types";
import { CopyCli } from "../../components/CopyCli";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { FormDialog } from "../../components/FormDialog";
import { QueryBox } from "../../components/QueryBox";
import { TextField } from "../../components/TextField";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import { useCount } from "../../components/useCount";

export function GroupForm({ group, onClose }: { group?: Group; onClose: () => void }) {
  const { report } = useCommonChange("groups");
  const vocabulary = useCompletionTerms();
  const [name, setName] = useState(group?.name ?? "");
  const [expression, setExpression] = useState(group?.expression ?? "");
  const [description, setDescription] = useState(group?.description ?? "");
  const hasExpression = expression.trim() !== "";
  const matches = useCount(expression, { enabled: hasExpression });
  const isCounted = hasExpression && !matches.behind && !matches.error;
  const save = async () => {
    const body = { expression: expression.trim(), description };
    const answer = group
      ? await api.put(`/api/v1/groups/${part(group.name)}`, body)
      : await api.post("/api/v1/groups", { name: name.trim(), ...body });
    await report(answer, { title: `Group ${name.trim()} saved` });
    onClose();
  };
  return (
    <FormDialog
      title={group ? `Edit group ${group.name}` : "Create group"}
      action={group ? "Save group" : "Create group"}
      ready={name.trim() !== "" && isCounted && matches.data !== undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {!group && <TextField label="Name" value={name} onChange={setName} required autoFocus />}
      <FormGroup label="Query" fieldId="group-expression" isRequired>
        <QueryBox
          id="group-expression"
          label="Query"
          value={expression}
          onChange={setExpression}
          vocabulary={vocabulary}
          count={isCounted ? matches.data?.count : undefined}
          problem={hasExpression && !matches.behind ? matches.error?.message : undefined}
        />
      </FormGroup>
      <TextField label="Description" value={description} onChange={setDescription} />
      <div>
        <CopyCli command={groupCommand(group ? "set" : "add", { name, expression, description })} />
      </div>
    </FormDialog>
  );
}

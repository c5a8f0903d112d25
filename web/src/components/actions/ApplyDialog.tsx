// Brings systems to the files of their configuration channels, or tells how they differ.
import { Alert, Checkbox } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router-dom";
import { api } from "../../api/client";
import { RequestKey } from "../../api/requestKey";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { CopyCli } from "../CopyCli";
import { FormDialog } from "../FormDialog";
import { plural } from "../format";
import { SelectField } from "../SelectField";
import { LoadingView } from "../states";
import { TextField } from "../TextField";
import {
  type Deployed,
  type Deployment,
  deployedText,
  deploymentBody,
  deploymentCommand,
  partText,
} from "./deployment";
import type { ActionProps } from "./dialogs";
import { TargetSummary } from "./TargetSummary";
import { targetLabel } from "./target";

export function ApplyDialog({ target, onClose }: ActionProps) {
  const client = useQueryClient();
  const go = useNavigate();
  const { tell } = useNotifications();
  const mayOverride = useMay("windows.override");
  const [dryRun, setDryRun] = useState(true);
  const [windows, setWindows] = useState("respect");
  const [note, setNote] = useState("");
  const [key] = useState(() => new RequestKey());
  const { query } = target;
  const wish = { query, dryRun, windows, note };
  const preview = useQuery({
    queryKey: ["systems", "configuration", query],
    queryFn: ({ signal }) =>
      api.post<Deployment>("/api/v1/configuration/preview", { query }, { signal }),
    retry: false,
  });
  const apply = async () => {
    const body = deploymentBody(wish);
    const deployment = await api.post<Deployed>("/api/v1/configuration/deploy", body, {
      headers: { "Idempotency-Key": key.of(body) },
    });
    void client.invalidateQueries({ queryKey: ["jobs"] });
    tell({
      title: dryRun ? "Comparison started" : "Configuration job created",
      body: deployedText(deployment),
    });
    onClose();
    go(deployment.jobs.length === 1 ? `/jobs/${deployment.job}` : "/jobs?only=running");
  };
  return (
    <FormDialog
      title={`Apply configuration to ${targetLabel(target)}`}
      about="Creates a job that writes the files of each system’s configuration channels."
      action={dryRun ? "Compare" : "Apply configuration"}
      ready={(preview.data?.targets ?? 0) > 0}
      onSubmit={apply}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      {preview.error && (
        <Alert variant="danger" isInline title={preview.error.message} component="h3" />
      )}
      {preview.isLoading && <LoadingView what="the preview" />}
      {preview.data && <Preview of={preview.data} />}
      <Checkbox
        id="apply-dry-run"
        label="Compare only: report differences, do not write files"
        isChecked={dryRun}
        onChange={(_, is) => setDryRun(is)}
      />
      <SelectField
        label="Maintenance windows"
        value={windows}
        onChange={setWindows}
        choices={[
          { value: "respect", label: "Respect: run only in windows" },
          { value: "ignore", label: "Ignore: start immediately" },
          ...(mayOverride ? [{ value: "override", label: "Override: emergency" }] : []),
        ]}
      />
      <TextField
        label="Note"
        value={note}
        onChange={setNote}
        help="Reason for this job. Stored with the job."
      />
      <div>
        <CopyCli command={deploymentCommand(wish)} />
      </div>
    </FormDialog>
  );
}

function Preview({ of }: { of: Deployment }) {
  const left = of.left_out ?? 0;
  if (of.targets === 0 && left === 0)
    return <p>No configuration files. Assign a configuration channel to these systems first.</p>;
  return (
    <div>
      <ul>
        {of.parts.map((part) => (
          <li key={part.paths.join(" ")}>{partText(part)}</li>
        ))}
      </ul>
      {left > 0 && (
        <p>
          {plural(left, "system")} skipped: their files come only from dynamic groups (defined by a
          query).
        </p>
      )}
      {of.without_files > 0 && (
        <p className="quiet">
          {plural(of.without_files, "system")} without configuration files skipped.
        </p>
      )}
    </div>
  );
}

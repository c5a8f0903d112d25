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
    tell({ title: dryRun ? "Comparing" : "Applying", body: deployedText(deployment) });
    onClose();
    go(deployment.jobs.length === 1 ? `/jobs/${deployment.job}` : "/jobs?only=running");
  };
  return (
    <FormDialog
      title={`Apply configuration to ${targetLabel(target)}`}
      about="Each gets the files of its configuration channels, as a job."
      action={dryRun ? "Compare" : "Apply"}
      ready={(preview.data?.targets ?? 0) > 0}
      onSubmit={apply}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      {preview.error && (
        <Alert variant="danger" isInline title={preview.error.message} component="h3" />
      )}
      {preview.isLoading && <LoadingView what="what would be written" />}
      {preview.data && <Preview of={preview.data} />}
      <Checkbox
        id="apply-dry-run"
        label="Only compare: tell what differs, write nothing"
        isChecked={dryRun}
        onChange={(_, is) => setDryRun(is)}
      />
      <SelectField
        label="Maintenance windows"
        value={windows}
        onChange={setWindows}
        choices={[
          { value: "respect", label: "respect: only inside windows" },
          { value: "ignore", label: "ignore: start at once" },
          ...(mayOverride ? [{ value: "override", label: "override: an emergency" }] : []),
        ]}
      />
      <TextField label="Note" value={note} onChange={setNote} help="Why. It stays with the job." />
      <div>
        <CopyCli command={deploymentCommand(wish)} />
      </div>
    </FormDialog>
  );
}

function Preview({ of }: { of: Deployment }) {
  const left = of.left_out ?? 0;
  if (of.targets === 0 && left === 0)
    return <p>None of them has files: no configuration channel leads to them.</p>;
  return (
    <div>
      <ul>
        {of.parts.map((part) => (
          <li key={part.paths.join(" ")}>{partText(part)}</li>
        ))}
      </ul>
      {left > 0 && (
        <p>
          {plural(left, "system")} with files that come by a group's expression only: these files
          are left out.
        </p>
      )}
      {of.without_files > 0 && (
        <p className="quiet">{plural(of.without_files, "system")} without any files left out.</p>
      )}
    </div>
  );
}

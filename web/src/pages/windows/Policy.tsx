// The emergency override of maintenance windows.
import { Card, CardBody, Switch } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { useMay } from "../../app/session";
import { DraftLabel } from "../../components/draft/DraftLabel";
import { overlayOne } from "../../components/draft/overlay";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { useDraft } from "../../components/draft/useDraft";
import { useEditBlockedReason } from "../../components/editing";
import { ErrorView, LoadingView } from "../../components/states";

interface Rule {
  emergency_override: boolean;
  permission: string;
}

export function Policy() {
  const may = useMay("windows.change");
  const blocked = useEditBlockedReason();
  const { report, reload, fail } = useCommonChange("windows");
  const draft = useDraft();
  const rule = useQuery({
    queryKey: ["windows", "policy"],
    queryFn: ({ signal }) => api.get<Rule>("/api/v1/windows/policy", { signal }),
  });
  const set = async (emergency_override: boolean) => {
    try {
      const answer = await api.put("/api/v1/windows/policy", { emergency_override });
      await report(answer, { title: "Maintenance policy changed" });
    } catch (failure) {
      fail("Cannot change the maintenance policy", failure);
      void reload();
    }
  };
  if (rule.error && !rule.data)
    return <ErrorView error={rule.error} retry={() => void rule.refetch()} />;
  if (draft.error) return <ErrorView error={draft.error} retry={draft.retry} />;
  if (!rule.data || draft.pending) return <LoadingView what="maintenance policy" />;
  const shown = overlayOne(rule.data, draft.changes, "policy");
  return (
    <Card isCompact>
      <CardBody>
        <Switch
          id="policy-override"
          label="Allow jobs outside maintenance windows in an emergency"
          isChecked={shown.row.emergency_override}
          isDisabled={!may || blocked !== undefined}
          onChange={(_, is) => void set(is)}
        />
        <DraftLabel state={shown.draft} />
        {may && blocked && <p>{blocked}</p>}
        <p className="quiet">
          Emergency jobs need the right {rule.data.permission} and are recorded in the audit log.
        </p>
      </CardBody>
    </Card>
  );
}

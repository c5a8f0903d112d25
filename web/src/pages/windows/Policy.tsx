// Whether somebody may start outside of windows in an emergency.
import { Card, CardBody, Switch } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import { isDrafted } from "../../api/common";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { useEditBlockedReason } from "../../components/editing";
import { ErrorView, LoadingView } from "../../components/states";

interface Rule {
  emergency_override: boolean;
  permission: string;
}

export function Policy() {
  const may = useMay("windows.change");
  const blocked = useEditBlockedReason();
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const rule = useQuery({
    queryKey: ["windows", "policy"],
    queryFn: ({ signal }) => api.get<Rule>("/api/v1/windows/policy", { signal }),
  });
  const set = async (emergency_override: boolean) => {
    try {
      const answer = await api.put("/api/v1/windows/policy", { emergency_override });
      tell({ title: isDrafted(answer) ? "In the draft" : "The policy was changed" });
    } catch (failure) {
      fail("Not changed", failure);
    } finally {
      void client.invalidateQueries({ queryKey: ["windows"] });
    }
  };
  if (rule.error && !rule.data)
    return <ErrorView error={rule.error} retry={() => void rule.refetch()} />;
  if (!rule.data) return <LoadingView what="the policy" />;
  return (
    <Card isCompact>
      <CardBody>
        <Switch
          id="policy-override"
          label="Work may be started outside of windows in an emergency"
          isChecked={rule.data.emergency_override}
          isDisabled={!may || blocked !== undefined}
          onChange={(_, is) => void set(is)}
        />
        {may && blocked && <p>{blocked}</p>}
        <p className="quiet">
          Who does so needs the right {rule.data.permission}, and it is written into the audit
          trail.
        </p>
      </CardBody>
    </Card>
  );
}

// The rules by which systems are taken in without an admin, and tokens for one system each.
import { Button, Card, CardBody, CardHeader, CardTitle, Label } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import type { Page } from "../../api/types";
import { useNotices } from "../../app/notices";
import { useMay } from "../../app/session";
import { CommonButton } from "../../components/CommonButton";
import { Confirm } from "../../components/Confirm";
import { EmptyNote, Loading, ProblemState } from "../../components/states";
import { Time } from "../../components/Time";
import { RuleDialog } from "./RuleDialog";
import { TokenDialog } from "./TokenDialog";

export interface Rule {
  name: string;
  priority: number;
  activation_key: boolean;
  networks: string[];
  names: string[];
  zone: string;
  tags: string[];
  groups: string[];
  made_by: string;
  made: string;
}

export function conditionsOf(rule: Rule): string {
  const all = [
    rule.activation_key ? "shows the activation key" : "",
    rule.networks.length > 0 ? `comes from ${rule.networks.join(" or ")}` : "",
    rule.names.length > 0 ? `is called ${rule.names.join(" or ")}` : "",
  ].filter((each) => each !== "");
  return all.length > 0 ? all.join(", and ") : "anybody";
}

function RuleRow({ rule, onRemove }: { rule: Rule; onRemove?: () => void }) {
  return (
    <tr>
      <th scope="row">{rule.name}</th>
      <td>{rule.priority}</td>
      <td>{conditionsOf(rule)}</td>
      <td>{rule.zone}</td>
      <td>
        {rule.tags.map((each) => (
          <Label key={`t ${each}`} isCompact color="blue">
            {each}
          </Label>
        ))}{" "}
        {rule.groups.map((each) => (
          <Label key={`g ${each}`} isCompact color="purple">
            {each}
          </Label>
        ))}
      </td>
      <td>
        {rule.made_by}, <Time at={rule.made} style="relative" />
      </td>
      <td>
        {onRemove && (
          <CommonButton
            variant="link"
            isDanger
            isInline
            onClick={onRemove}
            aria-label={`Remove rule ${rule.name}`}
          >
            Remove
          </CommonButton>
        )}
      </td>
    </tr>
  );
}

export function Rules() {
  const client = useQueryClient();
  const { tell, fail } = useNotices();
  const mayDecide = useMay("keys.decide");
  const [making, setMaking] = useState<"rule" | "token" | null>(null);
  const [removed, setRemoved] = useState<Rule | null>(null);
  const rules = useQuery({
    queryKey: ["rules"],
    queryFn: ({ signal }) => api.get<Page<Rule>>("/api/v1/accept-rules", { signal }),
  });
  if (rules.error) return <ProblemState error={rules.error} retry={() => void rules.refetch()} />;
  if (!rules.data) return <Loading what="the rules" />;
  const refresh = () => void client.invalidateQueries({ queryKey: ["rules"] });
  const remove = async (rule: Rule) => {
    try {
      const answer = await api.remove(`/api/v1/accept-rules/${part(rule.name)}`);
      tell({ title: isDrafted(answer) ? "In the draft" : `Rule ${rule.name} removed` });
    } catch (failure) {
      fail(`Rule ${rule.name} was not removed`, failure);
    }
    setRemoved(null);
    refresh();
  };
  return (
    <Card className="rules">
      <CardHeader
        actions={{
          actions: mayDecide && (
            <>
              <CommonButton onClick={() => setMaking("rule")}>Add a rule…</CommonButton>{" "}
              <Button variant="secondary" onClick={() => setMaking("token")}>
                Make a token…
              </Button>
            </>
          ),
        }}
      >
        <CardTitle component="h2">Rules, the smallest priority first</CardTitle>
      </CardHeader>
      <CardBody>
        {rules.data.items.length === 0 ? (
          <EmptyNote title="There are no rules">
            Somebody has to accept every system. A rule takes in those that come from a network,
            have a name, or show an activation key.
          </EmptyNote>
        ) : (
          <div className="wide">
            <table className="facts">
              <thead>
                <tr>
                  <th scope="col">Rule</th>
                  <th scope="col">Priority</th>
                  <th scope="col">Takes in who</th>
                  <th scope="col">Zone</th>
                  <th scope="col">With</th>
                  <th scope="col">Made by</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {[...rules.data.items]
                  .sort((one, other) => one.priority - other.priority)
                  .map((each) => (
                    <RuleRow
                      key={each.name}
                      rule={each}
                      onRemove={mayDecide ? () => setRemoved(each) : undefined}
                    />
                  ))}
              </tbody>
            </table>
          </div>
        )}
      </CardBody>
      {making === "rule" && (
        <RuleDialog
          onClose={() => {
            setMaking(null);
            refresh();
          }}
        />
      )}
      {making === "token" && <TokenDialog onClose={() => setMaking(null)} />}
      {removed && (
        <Confirm
          title={`Remove rule ${removed.name}`}
          action="Remove"
          danger
          onConfirm={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>Systems that it took in stay.</p>
        </Confirm>
      )}
    </Card>
  );
}

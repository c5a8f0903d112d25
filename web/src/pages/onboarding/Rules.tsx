// The rules by which systems are taken in without an admin, and tokens for one system each.
import { Button, Label } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import type { Page } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
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
  ].filter((condition) => condition !== "");
  return all.length > 0 ? all.join(", and ") : "anybody";
}

function Labels({ rule }: { rule: Rule }) {
  if (rule.tags.length + rule.groups.length === 0) return <span className="quiet">–</span>;
  return (
    <span className="rule-labels">
      {rule.tags.map((tag) => (
        <Label key={`t ${tag}`} isCompact color="blue">
          {tag}
        </Label>
      ))}
      {rule.groups.map((group) => (
        <Label key={`g ${group}`} isCompact color="purple">
          {group}
        </Label>
      ))}
    </span>
  );
}

function columnsOf(onRemove: ((rule: Rule) => void) | undefined): TableColumn<Rule>[] {
  return [
    { key: "name", title: "Rule", cell: (rule) => <strong>{rule.name}</strong> },
    {
      key: "priority",
      title: "Priority",
      numeric: true,
      tight: true,
      cell: (rule) => rule.priority,
    },
    { key: "who", title: "Takes in who", cell: (rule) => conditionsOf(rule) },
    { key: "zone", title: "Into zone", cell: (rule) => rule.zone },
    { key: "with", title: "With", cell: (rule) => <Labels rule={rule} /> },
    {
      key: "made",
      title: "Made",
      tight: true,
      cell: (rule) => (
        <span>
          <Time at={rule.made} style="relative" /> <span className="quiet">by {rule.made_by}</span>
        </span>
      ),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (rule) =>
        onRemove && (
          <DraftAwareButton
            variant="link"
            size="sm"
            isDanger
            onClick={() => onRemove(rule)}
            aria-label={`Remove rule ${rule.name}`}
          >
            Remove…
          </DraftAwareButton>
        ),
    },
  ];
}

export function Rules() {
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const mayDecide = useMay("keys.decide");
  const [making, setMaking] = useState<"rule" | "token" | null>(null);
  const [removed, setRemoved] = useState<Rule | null>(null);
  const rules = useQuery({
    queryKey: ["rules"],
    queryFn: ({ signal }) => api.get<Page<Rule>>("/api/v1/accept-rules", { signal }),
  });
  if (rules.error) return <ErrorView error={rules.error} retry={() => void rules.refetch()} />;
  if (!rules.data) return <LoadingView what="the rules" />;
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
  const sorted = [...rules.data.items].sort((a, b) => a.priority - b.priority);
  return (
    <div className="rules">
      <div className="rules-head">
        <span className="quiet">The first rule that fits takes a system in.</span>
        {mayDecide && (
          <div className="actions">
            <Button variant="secondary" onClick={() => setMaking("token")}>
              Make a token…
            </Button>
            <DraftAwareButton onClick={() => setMaking("rule")}>Add a rule…</DraftAwareButton>
          </div>
        )}
      </div>
      <DataTable
        label="Rules, the smallest priority first"
        columns={columnsOf(mayDecide ? setRemoved : undefined)}
        rows={sorted}
        rowKey={(rule) => rule.name}
        empty={
          <EmptyView title="There are no rules">
            Somebody has to accept every system. A rule takes in those that come from a network,
            have a name, or show an activation key.
          </EmptyView>
        }
      />
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
        <ConfirmDialog
          title={`Remove rule ${removed.name}`}
          action="Remove"
          danger
          onConfirm={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>Systems that it took in stay.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

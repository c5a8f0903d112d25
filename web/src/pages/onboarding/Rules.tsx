// Accept rules, which accept systems without an admin, and one-time enrolment tokens.
import { Button, Label } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import type { Page } from "../../api/types";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { DraftLabel } from "../../components/draft/DraftLabel";
import { type Drafted, overlay } from "../../components/draft/overlay";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { useDraft } from "../../components/draft/useDraft";
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
    rule.activation_key ? "has the activation key" : "",
    rule.networks.length > 0 ? `address in ${rule.networks.join(" or ")}` : "",
    rule.names.length > 0 ? `name matches ${rule.names.join(" or ")}` : "",
  ].filter((condition) => condition !== "");
  return all.length > 0 ? all.join(", and ") : "Any system";
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

const kind = {
  section: "accept-rules",
  nameOf: (rule: Rule) => rule.name,
  blank: (name: string): Rule => ({
    name,
    priority: 0,
    activation_key: false,
    networks: [],
    names: [],
    zone: "",
    tags: [],
    groups: [],
    made_by: "",
    made: "",
  }),
};

type Remove = ((rule: Rule) => void) | undefined;

function columnsOf(onRemove: Remove): TableColumn<Drafted<Rule>>[] {
  return [
    {
      key: "name",
      title: "Rule",
      cell: ({ row, draft }) => (
        <span>
          <strong>{row.name}</strong> <DraftLabel state={draft} />
        </span>
      ),
    },
    {
      key: "priority",
      title: "Priority",
      numeric: true,
      tight: true,
      cell: ({ row }) => row.priority,
    },
    { key: "who", title: "Conditions", cell: ({ row }) => conditionsOf(row) },
    { key: "zone", title: "Zone", cell: ({ row }) => row.zone },
    { key: "with", title: "Tags, groups", cell: ({ row }) => <Labels rule={row} /> },
    {
      key: "made",
      title: "Created",
      tight: true,
      cell: ({ row, draft }) =>
        draft === "new" ? (
          "–"
        ) : (
          <span>
            <Time at={row.made} style="relative" /> <span className="quiet">by {row.made_by}</span>
          </span>
        ),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: ({ row, draft }) =>
        onRemove &&
        draft !== "deleted" && (
          <DraftAwareButton
            variant="link"
            size="sm"
            isDanger
            onClick={() => onRemove(row)}
            aria-label={`Delete rule ${row.name}`}
          >
            Delete…
          </DraftAwareButton>
        ),
    },
  ];
}

export function Rules() {
  const { report, reload, fail } = useCommonChange("rules");
  const draft = useDraft();
  const mayDecide = useMay("keys.decide");
  const [making, setMaking] = useState<"rule" | "token" | null>(null);
  const [removed, setRemoved] = useState<Rule | null>(null);
  const rules = useQuery({
    queryKey: ["rules"],
    queryFn: ({ signal }) => api.get<Page<Rule>>("/api/v1/accept-rules", { signal }),
  });
  if (rules.error) return <ErrorView error={rules.error} retry={() => void rules.refetch()} />;
  if (draft.error) return <ErrorView error={draft.error} retry={draft.retry} />;
  if (!rules.data || draft.pending) return <LoadingView what="accept rules" />;
  const remove = async (rule: Rule) => {
    try {
      const answer = await api.remove(`/api/v1/accept-rules/${part(rule.name)}`);
      await report(answer, { title: `Accept rule ${rule.name} deleted` });
    } catch (failure) {
      fail(`Cannot delete accept rule ${rule.name}`, failure);
      void reload();
    }
    setRemoved(null);
  };
  const sorted = overlay(rules.data.items, draft.changes, kind).sort(
    (a, b) => a.row.priority - b.row.priority,
  );
  return (
    <div className="rules">
      <div className="rules-head">
        <span className="quiet">The first rule that matches a new system accepts it.</span>
        {mayDecide && (
          <div className="actions">
            <Button variant="secondary" onClick={() => setMaking("token")}>
              Create enrolment token…
            </Button>
            <DraftAwareButton onClick={() => setMaking("rule")}>
              Create accept rule…
            </DraftAwareButton>
          </div>
        )}
      </div>
      <DataTable
        label="Accept rules, lowest priority number first"
        columns={columnsOf(mayDecide ? setRemoved : undefined)}
        rows={sorted}
        rowKey={({ row }) => row.name}
        empty={
          <EmptyView title="No accept rules">
            Every system must be accepted manually. Create an accept rule to accept systems by
            network, name or activation key.
          </EmptyView>
        }
      />
      {making === "rule" && <RuleDialog onClose={() => setMaking(null)} />}
      {making === "token" && <TokenDialog onClose={() => setMaking(null)} />}
      {removed && (
        <ConfirmDialog
          title={`Delete accept rule ${removed.name}?`}
          action="Delete rule"
          danger
          onConfirm={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>Systems that the rule accepted stay accepted.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

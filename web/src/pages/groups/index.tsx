// Saved groups: named queries.
import { Flex } from "@patternfly/react-core";
import { useState } from "react";
import { Link } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import { word } from "../../api/query";
import type { Group } from "../../api/types";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { CopyCli } from "../../components/CopyCli";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { DraftLabel } from "../../components/draft/DraftLabel";
import { type Drafted, overlay } from "../../components/draft/overlay";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { useDraft } from "../../components/draft/useDraft";
import { PageFrame } from "../../components/PageFrame";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { useGroups } from "../../components/useCompletionTerms";
import { GroupForm } from "./GroupForm";
import { Members } from "./Members";

const kind = {
  section: "groups",
  nameOf: (group: Group) => group.name,
  blank: (name: string): Group => ({ name, expression: "", description: "" }),
};

// The server knows a drafted group by its query only.
function queryOf({ row, draft }: Drafted<Group>): string {
  return draft === "new" || draft === "changed" ? row.expression : `group:${word(row.name)}`;
}

export default function Groups() {
  const may = useMay("groups.change");
  const { report, reload, fail } = useCommonChange("groups");
  const [edited, setEdited] = useState<Group | "new" | null>(null);
  const [gone, setGone] = useState<Group | null>(null);
  const groups = useGroups();
  const draft = useDraft();
  const remove = async (group: Group) => {
    try {
      const answer = await api.remove(`/api/v1/groups/${part(group.name)}`);
      await report(answer, { title: `Group ${group.name} deleted` });
    } catch (failure) {
      fail(`Cannot delete group ${group.name}`, failure);
      void reload();
    } finally {
      setGone(null);
    }
  };
  const columns: TableColumn<Drafted<Group>>[] = [
    {
      key: "name",
      title: "Group",
      cell: (entry) => (
        <div className="group-name">
          <span>
            <Link to={`/search?q=${encodeURIComponent(queryOf(entry))}`}>{entry.row.name}</Link>{" "}
            <DraftLabel state={entry.draft} />
          </span>
          <span className="quiet">{entry.row.description}</span>
        </div>
      ),
    },
    { key: "expression", title: "Query", cell: ({ row }) => <code>{row.expression}</code> },
    {
      key: "systems",
      title: "Systems",
      numeric: true,
      tight: true,
      cell: (entry) => <Members query={queryOf(entry)} expression={entry.row.expression} />,
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: ({ row, draft }) =>
        may &&
        draft !== "deleted" && (
          <>
            <DraftAwareButton variant="link" size="sm" onClick={() => setEdited(row)}>
              Edit…
            </DraftAwareButton>{" "}
            <DraftAwareButton variant="link" size="sm" isDanger onClick={() => setGone(row)}>
              Delete…
            </DraftAwareButton>
          </>
        ),
    },
  ];
  const add = may && (
    <DraftAwareButton onClick={() => setEdited("new")}>Create group</DraftAwareButton>
  );
  return (
    <PageFrame
      title="Groups"
      subtitle="Named queries. A group’s systems are looked up each time the group is used."
      actions={
        <Flex gap={{ default: "gapSm" }}>
          <CopyCli command={commandLine("muster", "groups")} />
          {add}
        </Flex>
      }
    >
      {groups.error && !groups.data && (
        <ErrorView error={groups.error} retry={() => void groups.refetch()} />
      )}
      {draft.error && <ErrorView error={draft.error} retry={draft.retry} />}
      {(groups.isLoading || draft.pending) && <LoadingView what="groups" />}
      {groups.data && !draft.pending && !draft.error && (
        <DataTable
          label="Groups"
          columns={columns}
          rows={overlay(groups.data.items, draft.changes, kind)}
          rowKey={({ row }) => row.name}
          empty={
            <EmptyView title="No groups yet" actions={add}>
              Create a group here, or save a query on the search page. Then use group:NAME in jobs,
              maintenance schedules and accept rules.
            </EmptyView>
          }
        />
      )}
      {edited && (
        <GroupForm group={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />
      )}
      {gone && (
        <ConfirmDialog
          title={`Delete group ${gone.name}?`}
          action="Delete group"
          danger
          onConfirm={() => remove(gone)}
          onClose={() => setGone(null)}
        >
          Systems are not changed. A group that another group uses cannot be deleted. Other queries
          that use this group will match no systems.
        </ConfirmDialog>
      )}
    </PageFrame>
  );
}

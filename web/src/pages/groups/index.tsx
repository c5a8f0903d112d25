// Expressions that were saved under a name.
import { Flex } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import { word } from "../../api/query";
import type { Group } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { CopyCli } from "../../components/CopyCli";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { PageFrame } from "../../components/PageFrame";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { useGroups } from "../../components/useCompletionTerms";
import { GroupForm } from "./GroupForm";
import { Members } from "./Members";

function searchOf(group: Group): string {
  return `/search?q=${encodeURIComponent(`group:${word(group.name)}`)}`;
}

export default function Groups() {
  const may = useMay("groups.change");
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [edited, setEdited] = useState<Group | "new" | null>(null);
  const [gone, setGone] = useState<Group | null>(null);
  const groups = useGroups();
  const remove = async (group: Group) => {
    try {
      const answer = await api.remove(`/api/v1/groups/${part(group.name)}`);
      tell({ title: isDrafted(answer) ? "In the draft" : `${group.name} was removed` });
    } catch (failure) {
      fail("Not removed", failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["groups"] });
    }
  };
  const columns: TableColumn<Group>[] = [
    {
      key: "name",
      title: "Group",
      cell: (row) => (
        <div className="group-name">
          <Link to={searchOf(row)}>{row.name}</Link>
          <span className="quiet">{row.description}</span>
        </div>
      ),
    },
    { key: "expression", title: "Means", cell: (row) => <code>{row.expression}</code> },
    {
      key: "systems",
      title: "Systems",
      numeric: true,
      tight: true,
      cell: (row) => <Members group={row} />,
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) =>
        may && (
          <>
            <DraftAwareButton variant="link" size="sm" onClick={() => setEdited(row)}>
              Change…
            </DraftAwareButton>{" "}
            <DraftAwareButton variant="link" size="sm" isDanger onClick={() => setGone(row)}>
              Remove…
            </DraftAwareButton>
          </>
        ),
    },
  ];
  const add = may && (
    <DraftAwareButton onClick={() => setEdited("new")}>Add group</DraftAwareButton>
  );
  return (
    <PageFrame
      title="Groups"
      subtitle="Expressions under a name. Who is in a group is asked anew each time."
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
      {groups.isLoading && <LoadingView what="groups" />}
      {groups.data && (
        <DataTable
          label="Groups"
          columns={columns}
          rows={groups.data.items}
          rowKey={(row) => row.name}
          empty={
            <EmptyView title="No groups yet" actions={add}>
              Save an expression on the search page, or add a group here. group:NAME means it from
              then on, in jobs, windows and rules.
            </EmptyView>
          }
        />
      )}
      {edited && (
        <GroupForm group={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />
      )}
      {gone && (
        <ConfirmDialog
          title={`Remove ${gone.name}?`}
          action="Remove"
          danger
          onConfirm={() => remove(gone)}
          onClose={() => setGone(null)}
        >
          No system is touched. It is refused while another group names it; any other expression
          that does means nobody at all from then on.
        </ConfirmDialog>
      )}
    </PageFrame>
  );
}

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
import { useNotices } from "../../app/notices";
import { useMay } from "../../app/session";
import { CommonButton } from "../../components/CommonButton";
import { Confirm } from "../../components/Confirm";
import { CopyCli } from "../../components/CopyCli";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { PageFrame } from "../../components/PageFrame";
import { EmptyNote, Loading, ProblemState } from "../../components/states";
import { useGroups } from "../../components/useVocabulary";
import { GroupForm } from "./GroupForm";
import { Members } from "./Members";

function searchOf(group: Group): string {
  return `/search?q=${encodeURIComponent(`group:${word(group.name)}`)}`;
}

export default function Groups() {
  const may = useMay("groups.change");
  const client = useQueryClient();
  const { tell, fail } = useNotices();
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
            <CommonButton variant="link" size="sm" onClick={() => setEdited(row)}>
              Change…
            </CommonButton>{" "}
            <CommonButton variant="link" size="sm" isDanger onClick={() => setGone(row)}>
              Remove…
            </CommonButton>
          </>
        ),
    },
  ];
  const add = may && <CommonButton onClick={() => setEdited("new")}>Add group</CommonButton>;
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
        <ProblemState error={groups.error} retry={() => void groups.refetch()} />
      )}
      {groups.isLoading && <Loading what="groups" />}
      {groups.data && (
        <DataTable
          label="Groups"
          columns={columns}
          rows={groups.data.items}
          rowKey={(row) => row.name}
          empty={
            <EmptyNote title="No groups yet" actions={add}>
              Save an expression on the search page, or add a group here. group:NAME means it from
              then on, in jobs, windows and rules.
            </EmptyNote>
          }
        />
      )}
      {edited && (
        <GroupForm group={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />
      )}
      {gone && (
        <Confirm
          title={`Remove ${gone.name}?`}
          action="Remove"
          danger
          onConfirm={() => remove(gone)}
          onClose={() => setGone(null)}
        >
          No system is touched. It is refused while another group names it; any other expression
          that does means nobody at all from then on.
        </Confirm>
      )}
    </PageFrame>
  );
}

// Roles and what each allows.
import { Checkbox, FormGroup, Label } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { ErrorView, LoadingView } from "../../components/states";
import { useRoles } from "./Grants";
import { allRights, type Role } from "./types";

export function Roles() {
  const may = useMay("people.change");
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [edited, setEdited] = useState<Role | "new" | null>(null);
  const [gone, setGone] = useState<Role | null>(null);
  const roles = useRoles();
  const remove = async (role: Role) => {
    try {
      const answer = await api.remove(`/api/v1/roles/${part(role.name)}`);
      tell({ title: isDrafted(answer) ? "In the draft" : `${role.name} was removed` });
    } catch (failure) {
      fail("Not removed", failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["roles"] });
    }
  };
  const columns: TableColumn<Role>[] = [
    {
      key: "name",
      title: "Role",
      cell: (row) => (
        <div className="admin-name">
          <strong>{row.name}</strong>
          <span className="quiet">{row.about}</span>
        </div>
      ),
    },
    {
      key: "rights",
      title: "Rights",
      cell: (row) =>
        row.rights.length === allRights.length ? (
          "all"
        ) : (
          <span className="admin-labels">
            {row.rights.map((right) => (
              <Label key={right} isCompact>
                {right}
              </Label>
            ))}
          </span>
        ),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) =>
        row.built_in ? (
          <span className="quiet">built in</span>
        ) : (
          may && (
            <>
              <DraftAwareButton variant="link" size="sm" onClick={() => setEdited(row)}>
                Change…
              </DraftAwareButton>{" "}
              <DraftAwareButton variant="link" size="sm" isDanger onClick={() => setGone(row)}>
                Remove…
              </DraftAwareButton>
            </>
          )
        ),
    },
  ];
  if (roles.error && !roles.data)
    return <ErrorView error={roles.error} retry={() => void roles.refetch()} />;
  if (!roles.data) return <LoadingView what="roles" />;
  return (
    <>
      {may && (
        <p className="admin-bar">
          <DraftAwareButton onClick={() => setEdited("new")}>Add role</DraftAwareButton>
        </p>
      )}
      <DataTable
        label="Roles"
        columns={columns}
        rows={roles.data.items}
        rowKey={(row) => row.name}
      />
      {edited && (
        <RoleForm role={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />
      )}
      {gone && (
        <ConfirmDialog
          title={`Remove ${gone.name}?`}
          action="Remove"
          danger
          onConfirm={() => remove(gone)}
          onClose={() => setGone(null)}
        >
          It is refused while a user or a token has it.
        </ConfirmDialog>
      )}
    </>
  );
}

function RoleForm({ role, onClose }: { role?: Role; onClose: () => void }) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  const [name, setName] = useState("");
  const [about, setAbout] = useState(role?.about ?? "");
  const [rights, setRights] = useState<string[]>(role?.rights ?? []);
  const save = async () => {
    const answer = role
      ? await api.patch(`/api/v1/roles/${part(role.name)}`, { rights, about })
      : await api.post("/api/v1/roles", { name, rights, about });
    tell({ title: isDrafted(answer) ? "In the draft" : `${role?.name ?? name} was saved` });
    void client.invalidateQueries({ queryKey: ["roles"] });
    onClose();
  };
  return (
    <FormDialog
      title={role ? `Change ${role.name}` : "Add a role"}
      action={role ? "Change" : "Add"}
      ready={(role !== undefined || name !== "") && rights.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      {!role && <Field id="role-name" label="Name" value={name} onChange={setName} isRequired />}
      <Field id="role-about" label="What it is for" value={about} onChange={setAbout} />
      <FormGroup role="group" label="Rights" fieldId={`right-${allRights[0]}`}>
        <div className="rights">
          {allRights.map((right) => (
            <Checkbox
              key={right}
              id={`right-${right}`}
              label={right}
              isChecked={rights.includes(right)}
              onChange={(_, is) =>
                setRights((all) => (is ? [...all, right] : all.filter((name) => name !== right)))
              }
            />
          ))}
        </div>
      </FormGroup>
    </FormDialog>
  );
}

// Roles and their rights.
import { Checkbox, FormGroup, Label } from "@patternfly/react-core";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { DraftLabel } from "../../components/draft/DraftLabel";
import { type Drafted, overlay } from "../../components/draft/overlay";
import { useCommonChange } from "../../components/draft/useCommonChange";
import { useDraft } from "../../components/draft/useDraft";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { ErrorView, LoadingView } from "../../components/states";
import { useRoles } from "./Grants";
import { allRights, type Role } from "./types";

const kind = {
  section: "roles",
  nameOf: (role: Role) => role.name,
  blank: (name: string): Role => ({ name, rights: [], about: "", built_in: false }),
};

export function Roles() {
  const may = useMay("people.change");
  const { report, reload, fail } = useCommonChange("roles");
  const draft = useDraft();
  const [edited, setEdited] = useState<Role | "new" | null>(null);
  const [gone, setGone] = useState<Role | null>(null);
  const roles = useRoles();
  const remove = async (role: Role) => {
    try {
      const answer = await api.remove(`/api/v1/roles/${part(role.name)}`);
      await report(answer, { title: `Role ${role.name} deleted` });
    } catch (failure) {
      fail(`Cannot delete role ${role.name}`, failure);
      void reload();
    } finally {
      setGone(null);
    }
  };
  const columns: TableColumn<Drafted<Role>>[] = [
    {
      key: "name",
      title: "Role",
      cell: ({ row, draft }) => (
        <div className="admin-name">
          <span>
            <strong>{row.name}</strong> <DraftLabel state={draft} />
          </span>
          <span className="quiet">{row.about}</span>
        </div>
      ),
    },
    {
      key: "rights",
      title: "Rights",
      cell: ({ row }) =>
        row.rights.length === allRights.length ? (
          "All"
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
      cell: ({ row, draft }) =>
        row.built_in ? (
          <span className="quiet">Built-in</span>
        ) : (
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
          )
        ),
    },
  ];
  if (roles.error && !roles.data)
    return <ErrorView error={roles.error} retry={() => void roles.refetch()} />;
  if (draft.error) return <ErrorView error={draft.error} retry={draft.retry} />;
  if (!roles.data || draft.pending) return <LoadingView what="roles" />;
  return (
    <>
      {may && (
        <p className="admin-bar">
          <DraftAwareButton onClick={() => setEdited("new")}>Create role</DraftAwareButton>
        </p>
      )}
      <DataTable
        label="Roles"
        columns={columns}
        rows={overlay(roles.data.items, draft.changes, kind)}
        rowKey={({ row }) => row.name}
      />
      {edited && (
        <RoleForm role={edited === "new" ? undefined : edited} onClose={() => setEdited(null)} />
      )}
      {gone && (
        <ConfirmDialog
          title={`Delete role ${gone.name}?`}
          action="Delete role"
          danger
          onConfirm={() => remove(gone)}
          onClose={() => setGone(null)}
        >
          A role that a user or token has cannot be deleted.
        </ConfirmDialog>
      )}
    </>
  );
}

function RoleForm({ role, onClose }: { role?: Role; onClose: () => void }) {
  const { report } = useCommonChange("roles");
  const [name, setName] = useState("");
  const [about, setAbout] = useState(role?.about ?? "");
  const [rights, setRights] = useState<string[]>(role?.rights ?? []);
  const save = async () => {
    const answer = role
      ? await api.patch(`/api/v1/roles/${part(role.name)}`, { rights, about })
      : await api.post("/api/v1/roles", { name, rights, about });
    await report(answer, { title: `Role ${role?.name ?? name} saved` });
    onClose();
  };
  return (
    <FormDialog
      title={role ? `Edit role ${role.name}` : "Create role"}
      action={role ? "Save role" : "Create role"}
      ready={(role !== undefined || name !== "") && rights.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      {!role && <Field id="role-name" label="Name" value={name} onChange={setName} isRequired />}
      <Field id="role-about" label="Description" value={about} onChange={setAbout} />
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

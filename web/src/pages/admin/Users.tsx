// Users and their roles.
import { Button, Label } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { useMay } from "../../app/session";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { ErrorView, LoadingView } from "../../components/states";
import { Secret } from "./Secret";
import { grantText, type User } from "./types";
import { UserForm } from "./UserForm";
import { UserMenu } from "./UserMenu";

export function Users() {
  const may = useMay("people.change");
  const [edited, setEdited] = useState<User | "new" | null>(null);
  const [secret, setSecret] = useState<{ user: string; password: string } | null>(null);
  const users = useQuery({
    queryKey: ["people", "users"],
    queryFn: ({ signal }) => api.get<Page<User>>("/api/v1/users", { signal }),
  });
  const columns: TableColumn<User>[] = [
    {
      key: "name",
      title: "User",
      cell: (row) => (
        <div className="admin-name">
          <strong>{row.name}</strong>
          <span className="quiet">{[row.full_name, row.email].filter(Boolean).join(", ")}</span>
        </div>
      ),
    },
    {
      key: "grants",
      title: "Roles",
      cell: (row) =>
        row.grants.length === 0 ? (
          <span className="quiet">No roles</span>
        ) : (
          <span className="admin-labels">
            {row.grants.map((grant) => (
              <Label key={grantText(grant)} isCompact color="blue">
                {grantText(grant)}
              </Label>
            ))}
          </span>
        ),
    },
    {
      key: "state",
      title: "State",
      cell: (row) => (
        <span className="admin-labels">
          {row.disabled ? (
            <Label isCompact color="red">
              Disabled
            </Label>
          ) : (
            <Label isCompact color="green">
              Enabled
            </Label>
          )}
          {row.must_change && (
            <Label isCompact color="orange">
              Must change password
            </Label>
          )}
          {row.kind === "service" && <Label isCompact>Service account</Label>}
          {row.pam && <Label isCompact>PAM</Label>}
        </span>
      ),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) =>
        may && (
          <UserMenu
            user={row}
            onEdit={() => setEdited(row)}
            onPassword={(password) => setSecret({ user: row.name, password })}
          />
        ),
    },
  ];
  if (users.error && !users.data)
    return <ErrorView error={users.error} retry={() => void users.refetch()} />;
  if (!users.data) return <LoadingView what="users" />;
  return (
    <>
      {may && (
        <p className="admin-bar">
          <Button onClick={() => setEdited("new")}>Create user</Button>
        </p>
      )}
      <DataTable
        label="Users"
        columns={columns}
        rows={users.data.items}
        rowKey={(row) => row.name}
      />
      {edited && (
        <UserForm
          user={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
          onPassword={(user, password) => setSecret({ user, password })}
        />
      )}
      {secret && (
        <Secret
          title={`New password of ${secret.user}`}
          text={secret.password}
          about="Copy the password now; it is not shown again. The user must change it at the next login."
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}

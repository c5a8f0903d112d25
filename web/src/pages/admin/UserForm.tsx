import { Checkbox } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { Grants } from "./Grants";
import type { Grant, User } from "./types";

interface Props {
  user?: User;
  onClose: () => void;
  onPassword: (user: string, password: string) => void;
}

export function UserForm({ user, onClose, onPassword }: Props) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  const [name, setName] = useState("");
  const [fullName, setFullName] = useState(user?.full_name ?? "");
  const [email, setEmail] = useState(user?.email ?? "");
  const [grants, setGrants] = useState<Grant[]>(user?.grants ?? [{ role: "viewer", zone: "" }]);
  const [service, setService] = useState(false);

  const save = async () => {
    const body = { full_name: fullName, email, grants };
    if (user) {
      // A concurrent change is not overwritten.
      await api.patch(`/api/v1/users/${part(user.name)}`, { ...body, revision: user.revision });
      tell({ title: `User ${user.name} saved` });
    } else {
      const user = await api.post<User>("/api/v1/users", {
        name,
        kind: service ? "service" : "person",
        ...body,
      });
      tell({ title: `User ${name} created` });
      if (user.password) onPassword(name, user.password);
    }
    void client.invalidateQueries({ queryKey: ["people"] });
    onClose();
  };
  return (
    <FormDialog
      title={user ? `Edit user ${user.name}` : "Create user"}
      action={user ? "Save user" : "Create user"}
      ready={user !== undefined || name !== ""}
      onSubmit={save}
      onClose={onClose}
    >
      {!user && <Field id="user-name" label="Name" value={name} onChange={setName} isRequired />}
      <Field id="user-full-name" label="Full name" value={fullName} onChange={setFullName} />
      <Field id="user-email" label="Email" type="email" value={email} onChange={setEmail} />
      <Grants grants={grants} onChange={setGrants} />
      {!user && (
        <Checkbox
          id="user-service"
          label="Service account: uses tokens, has no password"
          isChecked={service}
          onChange={(_, is) => setService(is)}
        />
      )}
    </FormDialog>
  );
}

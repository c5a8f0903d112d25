import { Dropdown, DropdownItem, DropdownList, MenuToggle } from "@patternfly/react-core";
import EllipsisVIcon from "@patternfly/react-icons/dist/esm/icons/ellipsis-v-icon";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router-dom";
import { ApiError, api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import type { User } from "./types";

interface Props {
  user: User;
  onEdit: () => void;
  onPassword: (password: string) => void;
}

type Verb = "disable" | "enable" | "logout" | "unlock";

const notices: Record<Verb, string> = {
  disable: "disabled",
  enable: "enabled",
  logout: "logged out everywhere",
  unlock: "unlocked",
};

const failures: Record<Verb, string> = {
  disable: "disable",
  enable: "enable",
  logout: "log out",
  unlock: "unlock",
};

export function UserMenu({ user, onEdit, onPassword }: Props) {
  const client = useQueryClient();
  const go = useNavigate();
  const { tell, fail } = useNotifications();
  const [open, setOpen] = useState(false);
  const [asks, setAsks] = useState<"remove" | "password" | "disable" | null>(null);
  const path = `/api/v1/users/${part(user.name)}`;
  const act = async (title: string, failed: string, work: () => Promise<unknown>) => {
    try {
      await work();
      tell({ title });
    } catch (failure) {
      // The user was not locked.
      if (failure instanceof ApiError && failure.status === 404)
        tell({ title: failure.message, variant: "info" });
      else fail(failed, failure);
    } finally {
      setAsks(null);
      void client.invalidateQueries({ queryKey: ["people"] });
    }
  };
  const verb = (action: Verb) =>
    act(
      `User ${user.name} ${notices[action]}`,
      `Cannot ${failures[action]} user ${user.name}`,
      () => api.post(`${path}/${action}`),
    );
  const password = () =>
    act(`Password of ${user.name} reset`, `Cannot reset the password of ${user.name}`, async () => {
      const answer = await api.post<{ password: string | null }>(`${path}/password`);
      if (answer.password) onPassword(answer.password);
    });
  return (
    <>
      <Dropdown
        isOpen={open}
        onOpenChange={setOpen}
        onSelect={() => setOpen(false)}
        popperProps={{ position: "end" }}
        toggle={(ref) => (
          <MenuToggle
            ref={ref}
            variant="plain"
            isExpanded={open}
            aria-label={`Actions for ${user.name}`}
            icon={<EllipsisVIcon />}
            onClick={() => setOpen((is) => !is)}
          />
        )}
      >
        <DropdownList>
          <DropdownItem onClick={onEdit}>Edit…</DropdownItem>
          {!user.pam && user.kind !== "service" && (
            <DropdownItem onClick={() => setAsks("password")}>Reset password…</DropdownItem>
          )}
          <DropdownItem onClick={() => go(`/admin/tokens?user=${part(user.name)}`)}>
            Show tokens
          </DropdownItem>
          <DropdownItem onClick={() => void verb("logout")}>Log out everywhere</DropdownItem>
          <DropdownItem onClick={() => void verb("unlock")}>Unlock</DropdownItem>
          {user.disabled ? (
            <DropdownItem onClick={() => void verb("enable")}>Enable</DropdownItem>
          ) : (
            <DropdownItem onClick={() => setAsks("disable")}>Disable…</DropdownItem>
          )}
          <DropdownItem isDanger onClick={() => setAsks("remove")}>
            Delete…
          </DropdownItem>
        </DropdownList>
      </Dropdown>
      {asks === "remove" && (
        <ConfirmDialog
          title={`Delete user ${user.name}?`}
          action="Delete user"
          danger
          typed={user.name}
          onConfirm={() =>
            act(`User ${user.name} deleted`, `Cannot delete user ${user.name}`, () =>
              api.remove(path),
            )
          }
          onClose={() => setAsks(null)}
        >
          Sessions and tokens of the user end immediately. Entries in the audit log are kept.
        </ConfirmDialog>
      )}
      {asks === "password" && (
        <ConfirmDialog
          title={`Reset password of ${user.name}?`}
          action="Reset password"
          onConfirm={password}
          onClose={() => setAsks(null)}
        >
          A new password is generated and shown once. All sessions and tokens of {user.name} end.
        </ConfirmDialog>
      )}
      {asks === "disable" && (
        <ConfirmDialog
          title={`Disable user ${user.name}?`}
          action="Disable user"
          danger
          onConfirm={() => verb("disable")}
          onClose={() => setAsks(null)}
        >
          {user.name} can no longer log in. All sessions and tokens end immediately.
        </ConfirmDialog>
      )}
    </>
  );
}

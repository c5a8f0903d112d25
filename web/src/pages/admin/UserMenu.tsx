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
  disable: "is let in no more",
  enable: "may enter again",
  logout: "was logged out everywhere",
  unlock: "may try again at once",
};

export function UserMenu({ user, onEdit, onPassword }: Props) {
  const client = useQueryClient();
  const go = useNavigate();
  const { tell, fail } = useNotifications();
  const [open, setOpen] = useState(false);
  const [asks, setAsks] = useState<"remove" | "password" | "disable" | null>(null);
  const path = `/api/v1/users/${part(user.name)}`;
  const act = async (title: string, work: () => Promise<unknown>) => {
    try {
      await work();
      tell({ title });
    } catch (failure) {
      // Whoever is not locked need not be unlocked.
      if (failure instanceof ApiError && failure.status === 404)
        tell({ title: failure.message, variant: "info" });
      else fail("Not changed", failure);
    } finally {
      setAsks(null);
      void client.invalidateQueries({ queryKey: ["people"] });
    }
  };
  const verb = (action: Verb) =>
    act(`${user.name} ${notices[action]}`, () => api.post(`${path}/${action}`));
  const password = () =>
    act(`${user.name} has another password`, async () => {
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
            aria-label={`Actions of ${user.name}`}
            icon={<EllipsisVIcon />}
            onClick={() => setOpen((is) => !is)}
          />
        )}
      >
        <DropdownList>
          <DropdownItem onClick={onEdit}>Change…</DropdownItem>
          {!user.pam && user.kind !== "service" && (
            <DropdownItem onClick={() => setAsks("password")}>Give another password…</DropdownItem>
          )}
          <DropdownItem onClick={() => go(`/admin/tokens?user=${part(user.name)}`)}>
            Tokens
          </DropdownItem>
          <DropdownItem onClick={() => void verb("logout")}>Log out everywhere</DropdownItem>
          <DropdownItem onClick={() => void verb("unlock")}>Unlock</DropdownItem>
          {user.disabled ? (
            <DropdownItem onClick={() => void verb("enable")}>Enable</DropdownItem>
          ) : (
            <DropdownItem onClick={() => setAsks("disable")}>Disable…</DropdownItem>
          )}
          <DropdownItem isDanger onClick={() => setAsks("remove")}>
            Remove…
          </DropdownItem>
        </DropdownList>
      </Dropdown>
      {asks === "remove" && (
        <ConfirmDialog
          title={`Remove ${user.name}?`}
          action="Remove"
          danger
          typed={user.name}
          onConfirm={() => act(`${user.name} was removed`, () => api.remove(path))}
          onClose={() => setAsks(null)}
        >
          Sessions and tokens end at once. What was done stays in the audit trail.
        </ConfirmDialog>
      )}
      {asks === "password" && (
        <ConfirmDialog
          title={`Give ${user.name} another password?`}
          action="Give"
          onConfirm={password}
          onClose={() => setAsks(null)}
        >
          A password is made up and shown to you once. All sessions and tokens of {user.name} end.
        </ConfirmDialog>
      )}
      {asks === "disable" && (
        <ConfirmDialog
          title={`Disable ${user.name}?`}
          action="Disable"
          danger
          onConfirm={() => verb("disable")}
          onClose={() => setAsks(null)}
        >
          {user.name} is let in no more; all sessions and tokens end at once.
        </ConfirmDialog>
      )}
    </>
  );
}

// The roles of a user, and the zones in which they apply.
import { Button, FormGroup, FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { useZone } from "../../app/zone";
import type { Grant, Role } from "./types";

interface Props {
  grants: Grant[];
  onChange: (grants: Grant[]) => void;
}

export function useRoles() {
  return useQuery({
    queryKey: ["roles"],
    queryFn: ({ signal }) => api.get<Page<Role>>("/api/v1/roles", { signal }),
  });
}

export function Grants({ grants, onChange }: Props) {
  const roles = useRoles();
  const { zones } = useZone();
  const names = roles.data?.items.map((role) => role.name) ?? [];
  const put = (index: number, changes: Partial<Grant>) =>
    onChange(grants.map((grant, n) => (n === index ? { ...grant, ...changes } : grant)));
  return (
    <FormGroup role="group" label="Roles" fieldId="grant-role-0">
      {grants.map((grant, index) => (
        <div key={index} className="grant">
          <FormSelect
            id={`grant-role-${index}`}
            aria-label={`Role ${index + 1}`}
            value={grant.role}
            onChange={(_, role) => put(index, { role })}
          >
            {names.map((name) => (
              <FormSelectOption key={name} value={name} label={name} />
            ))}
          </FormSelect>
          <FormSelect
            id={`grant-zone-${index}`}
            aria-label={`Zone of role ${index + 1}`}
            value={grant.zone}
            onChange={(_, zone) => put(index, { zone })}
          >
            <FormSelectOption value="" label="Whole cluster" />
            {zones.map((zone) => (
              <FormSelectOption key={zone.name} value={zone.name} label={`Zone ${zone.name}`} />
            ))}
          </FormSelect>
          <Button
            variant="link"
            isDanger
            aria-label={`Remove role ${index + 1}`}
            onClick={() => onChange(grants.filter((_, n) => n !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button
        variant="link"
        isInline
        onClick={() =>
          onChange([
            ...grants,
            { role: names.includes("viewer") ? "viewer" : (names[0] ?? ""), zone: "" },
          ])
        }
      >
        Add role
      </Button>
    </FormGroup>
  );
}

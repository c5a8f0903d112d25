// API tokens.
import { Button, Flex, FormSelect, FormSelectOption, Label } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router-dom";
import { api, part } from "../../api/client";
import type { Page } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { useSession } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { Secret } from "./Secret";
import { type ApiToken, grantText } from "./types";

const everybody = "*"; // as the API names them

export function Tokens() {
  const { me, may } = useSession();
  const [search, setSearch] = useSearchParams();
  const user = may("people.read") ? (search.get("user") ?? "") : "";
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [making, setMaking] = useState(false);
  const [token, setToken] = useState<ApiToken | null>(null);
  const [gone, setGone] = useState<ApiToken | null>(null);
  const tokens = useQuery({
    queryKey: ["people", "tokens", user],
    queryFn: ({ signal }) => api.get<Page<ApiToken>>("/api/v1/tokens", { query: { user }, signal }),
  });
  const revoke = async (token: ApiToken) => {
    try {
      await api.remove(`/api/v1/tokens/${part(token.id)}`);
      tell({ title: `Token ${token.purpose} revoked` });
    } catch (failure) {
      fail("Cannot revoke the token", failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["people"] });
    }
  };
  const columns: TableColumn<ApiToken>[] = [
    {
      key: "purpose",
      title: "Purpose",
      cell: (row) => (
        <div className="admin-name">
          <strong>{row.purpose || row.id.slice(0, 12)}</strong>
          {user !== "" && <span className="quiet">{row.user}</span>}
          {!row.good && (
            <span>
              <Label isCompact color="red">
                Expired or revoked
              </Label>
            </span>
          )}
        </div>
      ),
    },
    {
      key: "may",
      title: "Rights",
      cell: (row) =>
        row.grants.length === 0 && !row.rights?.length
          ? "All rights of the user"
          : [...row.grants.map(grantText), ...(row.rights ?? [])].join(", "),
    },
    { key: "made", title: "Created", tight: true, cell: (row) => <Time at={row.made} /> },
    { key: "expires", title: "Expires", tight: true, cell: (row) => <Time at={row.expires} /> },
    {
      key: "used",
      title: "Last used",
      tight: true,
      cell: (row) => (row.last_used ? <Time at={row.last_used} style="relative" /> : "Never"),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) => (
        <Button variant="link" size="sm" isDanger onClick={() => setGone(row)}>
          Revoke…
        </Button>
      ),
    },
  ];
  if (tokens.error && !tokens.data)
    return <ErrorView error={tokens.error} retry={() => void tokens.refetch()} />;
  if (!tokens.data) return <LoadingView what="tokens" />;
  // For the user whose tokens are shown; not while the tokens of all users are.
  const make = user !== everybody && (user === "" || may("people.change")) && (
    <Button onClick={() => setMaking(true)}>Create token</Button>
  );
  const whose = user === "" ? me.user : user;
  return (
    <>
      <Flex className="admin-bar" gap={{ default: "gapSm" }}>
        {may("people.read") && (
          <FormSelect
            className="admin-choice"
            aria-label="User"
            value={user}
            onChange={(_, is) => setSearch(is === "" ? {} : { user: is }, { replace: true })}
          >
            <FormSelectOption value="" label="Your tokens" />
            <FormSelectOption value={everybody} label="Tokens of all users" />
            {user !== "" && user !== everybody && (
              <FormSelectOption value={user} label={`Tokens of ${user}`} />
            )}
          </FormSelect>
        )}
        {tokens.data.items.length > 0 && make}
      </Flex>
      <DataTable
        label="Tokens"
        columns={columns}
        rows={tokens.data.items}
        rowKey={(row) => row.id}
        empty={
          <EmptyView
            title={user === everybody ? "No tokens" : `No tokens of ${whose}`}
            actions={make}
          >
            A token lets a program use the API as this user, with all or some of the user’s rights.
          </EmptyView>
        }
      />
      {making && (
        <TokenForm
          user={user}
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMaking(false);
            setToken(token);
          }}
        />
      )}
      {token && (
        <Secret
          title="New token"
          text={token.secret ?? ""}
          about="Copy the token now; it is not shown again. Send it as “Authorization: Bearer …”."
          onClose={() => setToken(null)}
        />
      )}
      {gone && (
        <ConfirmDialog
          title={`Revoke token ${gone.purpose}?`}
          action="Revoke token"
          danger
          onConfirm={() => revoke(gone)}
          onClose={() => setGone(null)}
        >
          Programs that use this token lose access immediately.
        </ConfirmDialog>
      )}
    </>
  );
}

interface FormProps {
  user: string; // "": your own
  onClose: () => void;
  onMade: (token: ApiToken) => void;
}

function TokenForm({ user, onClose, onMade }: FormProps) {
  const client = useQueryClient();
  const [purpose, setPurpose] = useState("");
  const [days, setDays] = useState("90");
  const [rights, setRights] = useState("");
  const rightNames = rights.split(/[\s,]+/).filter(Boolean);
  return (
    <FormDialog
      title={user === "" ? "Create token" : `Create token for ${user}`}
      action="Create token"
      ready={purpose !== "" && /^[1-9]\d*$/.test(days)}
      onSubmit={async () => {
        const token = await api.post<ApiToken>("/api/v1/tokens", {
          ...(user === "" ? {} : { user }),
          purpose,
          days: Number(days),
          ...(rightNames.length > 0 ? { rights: rightNames } : {}),
        });
        void client.invalidateQueries({ queryKey: ["people"] });
        onMade(token);
      }}
      onClose={onClose}
    >
      <Field id="token-purpose" label="Purpose" value={purpose} onChange={setPurpose} isRequired />
      <Field
        id="token-days"
        label="Lifetime in days"
        type="number"
        value={days}
        onChange={setDays}
        hint="Up to five years"
      />
      <Field
        id="token-rights"
        label="Rights"
        value={rights}
        onChange={setRights}
        hint="For example fleet.read, jobs.read. Empty: all rights of the user."
      />
    </FormDialog>
  );
}

// Tokens let programs in.
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
      tell({ title: "The token was ended" });
    } catch (failure) {
      fail("Not ended", failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["people"] });
    }
  };
  const columns: TableColumn<ApiToken>[] = [
    {
      key: "purpose",
      title: "For",
      cell: (row) => (
        <div className="admin-name">
          <strong>{row.purpose || row.id.slice(0, 12)}</strong>
          {user !== "" && <span className="quiet">{row.user}</span>}
          {!row.good && (
            <span>
              <Label isCompact color="red">
                not good any more
              </Label>
            </span>
          )}
        </div>
      ),
    },
    {
      key: "may",
      title: "May",
      cell: (row) =>
        row.grants.length === 0 && !row.rights?.length
          ? "whatever its user may"
          : [...row.grants.map(grantText), ...(row.rights ?? [])].join(", "),
    },
    { key: "made", title: "Made", tight: true, cell: (row) => <Time at={row.made} /> },
    { key: "expires", title: "Ends", tight: true, cell: (row) => <Time at={row.expires} /> },
    {
      key: "used",
      title: "Last used",
      tight: true,
      cell: (row) => (row.last_used ? <Time at={row.last_used} style="relative" /> : "never"),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) => (
        <Button variant="link" size="sm" isDanger onClick={() => setGone(row)}>
          End…
        </Button>
      ),
    },
  ];
  if (tokens.error && !tokens.data)
    return <ErrorView error={tokens.error} retry={() => void tokens.refetch()} />;
  if (!tokens.data) return <LoadingView what="tokens" />;
  // For oneself, or for whoever is looked at; for everybody there are none.
  const make = user !== everybody && (user === "" || may("people.change")) && (
    <Button onClick={() => setMaking(true)}>Make a token</Button>
  );
  const whose = user === "" ? me.user : user;
  return (
    <>
      <Flex className="admin-bar" gap={{ default: "gapSm" }}>
        {may("people.read") && (
          <FormSelect
            className="admin-choice"
            aria-label="Whose tokens"
            value={user}
            onChange={(_, is) => setSearch(is === "" ? {} : { user: is }, { replace: true })}
          >
            <FormSelectOption value="" label="your own" />
            <FormSelectOption value={everybody} label="everybody's" />
            {user !== "" && user !== everybody && (
              <FormSelectOption value={user} label={`of ${user}`} />
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
            title={user === everybody ? "Nobody has tokens" : `${whose} has no tokens`}
            actions={make}
          >
            A token lets a program in as its user: with all that they may, or with less.
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
          title="The new token"
          text={token.secret ?? ""}
          about="It is not shown again. Send it as “Authorization: Bearer …”."
          onClose={() => setToken(null)}
        />
      )}
      {gone && (
        <ConfirmDialog
          title={`End the token ${gone.purpose}?`}
          action="End it"
          danger
          onConfirm={() => revoke(gone)}
          onClose={() => setGone(null)}
        >
          Whatever uses it is refused from now on.
        </ConfirmDialog>
      )}
    </>
  );
}

interface FormProps {
  user: string; // "": for oneself
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
      title={user === "" ? "Make a token" : `Make a token of ${user}`}
      action="Make"
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
      <Field id="token-purpose" label="What for" value={purpose} onChange={setPurpose} isRequired />
      <Field
        id="token-days"
        label="Good for days"
        type="number"
        value={days}
        onChange={setDays}
        hint="At most five years"
      />
      <Field
        id="token-rights"
        label="Only these rights"
        value={rights}
        onChange={setRights}
        hint="Such as fleet.read, jobs.read; all of yours if empty"
      />
    </FormDialog>
  );
}

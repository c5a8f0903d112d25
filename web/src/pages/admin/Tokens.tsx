// Tokens let programs in.
import { Button, Label } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import type { Page } from "../../api/types";
import { useNotices } from "../../app/notices";
import { useSession } from "../../app/session";
import { Confirm } from "../../components/Confirm";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { EmptyNote, Loading, ProblemState } from "../../components/states";
import { Time } from "../../components/Time";
import { Secret } from "./Secret";
import { type ApiToken, grantText } from "./types";

export function Tokens() {
  const { me } = useSession();
  const client = useQueryClient();
  const { tell, fail } = useNotices();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<ApiToken | null>(null);
  const [gone, setGone] = useState<ApiToken | null>(null);
  const tokens = useQuery({
    queryKey: ["people", "tokens"],
    queryFn: ({ signal }) => api.get<Page<ApiToken>>("/api/v1/tokens", { signal }),
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
    return <ProblemState error={tokens.error} retry={() => void tokens.refetch()} />;
  if (!tokens.data) return <Loading what="tokens" />;
  const make = <Button onClick={() => setMaking(true)}>Make a token</Button>;
  return (
    <>
      {tokens.data.items.length > 0 && <p className="admin-bar">{make}</p>}
      <DataTable
        label="Tokens"
        columns={columns}
        rows={tokens.data.items}
        rowKey={(row) => row.id}
        empty={
          <EmptyNote title={`${me.user} has no tokens`} actions={make}>
            A token lets a program in as you: with all that you may, or with less.
          </EmptyNote>
        }
      />
      {making && (
        <TokenForm
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMaking(false);
            setMade(token);
          }}
        />
      )}
      {made && (
        <Secret
          title="The new token"
          text={made.secret ?? ""}
          about="It is not shown again. Send it as “Authorization: Bearer …”."
          onClose={() => setMade(null)}
        />
      )}
      {gone && (
        <Confirm
          title={`End the token ${gone.purpose}?`}
          action="End it"
          danger
          onConfirm={() => revoke(gone)}
          onClose={() => setGone(null)}
        >
          Whatever uses it is refused from now on.
        </Confirm>
      )}
    </>
  );
}

interface FormProps {
  onClose: () => void;
  onMade: (token: ApiToken) => void;
}

function TokenForm({ onClose, onMade }: FormProps) {
  const client = useQueryClient();
  const [purpose, setPurpose] = useState("");
  const [days, setDays] = useState("90");
  const [rights, setRights] = useState("");
  const given = rights.split(/[\s,]+/).filter(Boolean);
  return (
    <FormDialog
      title="Make a token"
      action="Make"
      ready={purpose !== "" && /^[1-9]\d*$/.test(days)}
      onSubmit={async () => {
        const made = await api.post<ApiToken>("/api/v1/tokens", {
          purpose,
          days: Number(days),
          ...(given.length > 0 ? { rights: given } : {}),
        });
        void client.invalidateQueries({ queryKey: ["people"] });
        onMade(made);
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

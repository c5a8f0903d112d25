// Open login sessions.
import { Button } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, part } from "../../api/client";
import type { Page } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import type { LoginSession } from "./types";

export function LoginSessions() {
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const sessions = useQuery({
    queryKey: ["people", "sessions"],
    queryFn: ({ signal }) => api.get<Page<LoginSession>>("/api/v1/sessions", { signal }),
    refetchInterval: 30_000,
  });
  const end = async (session: LoginSession) => {
    try {
      await api.remove(`/api/v1/sessions/${part(session.id)}`);
      tell({ title: `Session of ${session.user} ended` });
    } catch (failure) {
      fail("Cannot end the session", failure);
    } finally {
      void client.invalidateQueries({ queryKey: ["people", "sessions"] });
    }
  };
  const columns: TableColumn<LoginSession>[] = [
    { key: "user", title: "User", cell: (row) => <strong>{row.user}</strong> },
    { key: "origin", title: "From", cell: (row) => <code>{row.origin}</code> },
    { key: "began", title: "Logged in", cell: (row) => <Time at={row.began} /> },
    { key: "seen", title: "Last active", cell: (row) => <Time at={row.seen} style="relative" /> },
    { key: "expires", title: "Expires", cell: (row) => <Time at={row.expires} /> },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) => (
        <Button variant="link" size="sm" isDanger onClick={() => void end(row)}>
          End session
        </Button>
      ),
    },
  ];
  if (sessions.error && !sessions.data)
    return <ErrorView error={sessions.error} retry={() => void sessions.refetch()} />;
  if (!sessions.data) return <LoadingView what="sessions" />;
  return (
    <DataTable
      label="Login sessions"
      columns={columns}
      rows={sessions.data.items}
      rowKey={(row) => row.id}
      empty={<EmptyView title="No login sessions" />}
    />
  );
}

// Who is logged in, from where.
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
      tell({ title: "The session was ended" });
    } catch (failure) {
      fail("Not ended", failure);
    } finally {
      void client.invalidateQueries({ queryKey: ["people", "sessions"] });
    }
  };
  const columns: TableColumn<LoginSession>[] = [
    { key: "user", title: "User", cell: (row) => <strong>{row.user}</strong> },
    { key: "origin", title: "From", cell: (row) => <code>{row.origin}</code> },
    { key: "began", title: "Began", cell: (row) => <Time at={row.began} /> },
    { key: "seen", title: "Seen", cell: (row) => <Time at={row.seen} style="relative" /> },
    { key: "expires", title: "Ends", cell: (row) => <Time at={row.expires} /> },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) => (
        <Button variant="link" size="sm" isDanger onClick={() => void end(row)}>
          End
        </Button>
      ),
    },
  ];
  if (sessions.error && !sessions.data)
    return <ErrorView error={sessions.error} retry={() => void sessions.refetch()} />;
  if (!sessions.data) return <LoadingView what="sessions" />;
  return (
    <DataTable
      label="Sessions"
      columns={columns}
      rows={sessions.data.items}
      rowKey={(row) => row.id}
      empty={<EmptyView title="Nobody else is logged in" />}
    />
  );
}

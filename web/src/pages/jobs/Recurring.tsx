// What runs again and again.
import { Breadcrumb, BreadcrumbItem, Button, Flex, Switch } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import type { Page } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { CopyCli } from "../../components/CopyCli";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { PageFrame } from "../../components/PageFrame";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { jobText } from "./jobText";
import { RecurringForm } from "./RecurringForm";
import type { Recurrence } from "./recurrence";

export function Recurring() {
  const may = useMay("schedules.change");
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [gone, setGone] = useState<Recurrence | null>(null);
  const [edited, setEdited] = useState<Recurrence | "new" | null>(null);
  const all = useQuery({
    queryKey: ["schedules"],
    queryFn: ({ signal }) => api.get<Page<Recurrence>>("/api/v1/schedules", { signal }),
  });
  const change = async (title: string, work: Promise<unknown>) => {
    try {
      await work;
      tell({ title: title });
    } catch (failure) {
      fail("Schedule not changed", failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["schedules"] });
    }
  };
  const columns: TableColumn<Recurrence>[] = [
    {
      key: "name",
      title: "Name",
      cell: (row) => (
        <div className="job-what">
          <strong>{row.name}</strong>
          <span className="quiet">{jobText(row)}</span>
        </div>
      ),
    },
    {
      key: "query",
      title: "Systems",
      cell: (row) => <code className="job-query">{row.query}</code>,
    },
    {
      key: "when",
      title: "When",
      cell: (row) => (
        <span>
          {row.at ? <Time at={row.at} /> : <code>{row.cron || row.rrule}</code>}{" "}
          {row.zone && !row.at && <span className="quiet">{row.zone}</span>}
        </span>
      ),
    },
    { key: "next", title: "Next run", tight: true, cell: (row) => <Time at={row.next} /> },
    {
      key: "active",
      title: "Active",
      tight: true,
      cell: (row) => (
        <Switch
          id={`active-${row.name}`}
          aria-label={`${row.name} active`}
          isChecked={row.active}
          isDisabled={!may}
          onChange={(_, active) =>
            void change(
              active ? `Schedule ${row.name} activated` : `Schedule ${row.name} paused`,
              api.patch(`/api/v1/schedules/${part(row.name)}`, { active }),
            )
          }
        />
      ),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) =>
        may && (
          <>
            <Button variant="link" size="sm" onClick={() => setEdited(row)}>
              Edit…
            </Button>
            <Button variant="link" size="sm" isDanger onClick={() => setGone(row)}>
              Delete…
            </Button>
          </>
        ),
    },
  ];
  const make = may && <Button onClick={() => setEdited("new")}>Create recurring schedule</Button>;
  return (
    <PageFrame
      title="Recurring schedules"
      above={
        <Breadcrumb>
          <BreadcrumbItem>
            <Link to="/jobs">Jobs</Link>
          </BreadcrumbItem>
          <BreadcrumbItem isActive>Recurring schedules</BreadcrumbItem>
        </Breadcrumb>
      }
      actions={
        <Flex gap={{ default: "gapSm" }}>
          <CopyCli command={commandLine("muster", "schedules")} />
          {make}
        </Flex>
      }
    >
      {all.error && <ErrorView error={all.error} retry={() => void all.refetch()} />}
      {all.isLoading && <LoadingView what="recurring schedules" />}
      {all.data && (
        <DataTable
          label="Recurring schedules"
          columns={columns}
          rows={all.data.items}
          rowKey={(row) => row.name}
          empty={
            <EmptyView title="No recurring schedules" actions={make}>
              A recurring schedule creates a job at each planned time. Create a schedule with a cron
              expression, a calendar rule or a single time.
            </EmptyView>
          }
        />
      )}
      {edited && (
        <RecurringForm
          row={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {gone && (
        <ConfirmDialog
          title={`Delete schedule ${gone.name}?`}
          action="Delete schedule"
          danger
          onConfirm={() =>
            change(
              `Schedule ${gone.name} deleted`,
              api.remove(`/api/v1/schedules/${part(gone.name)}`),
            )
          }
          onClose={() => setGone(null)}
        >
          No further jobs are created. Existing jobs are kept.
        </ConfirmDialog>
      )}
    </PageFrame>
  );
}

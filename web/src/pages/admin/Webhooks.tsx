// Webhooks and their delivery status.
import { Button, Card, CardBody, CardTitle, Label } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import type { Page } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { useMay } from "../../app/session";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DataTable, type TableColumn } from "../../components/DataTable";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { count } from "../../components/format";
import { ErrorView } from "../../components/states";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Secret } from "./Secret";
import type { Webhook } from "./types";

const states: Record<string, string> = {
  delivering: "Delivering",
  failing: "Failing",
  suspended: "Suspended",
};

export function Webhooks() {
  const may = useMay("webhooks.change");
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState("");
  const [gone, setGone] = useState<Webhook | null>(null);
  const hooks = useQuery({
    queryKey: ["webhooks"],
    queryFn: ({ signal }) => api.get<Page<Webhook>>("/api/v1/webhooks", { signal }),
    enabled: may,
    refetchInterval: 15_000,
  });
  if (!may) return null;
  const act = async (title: string, failed: string, work: () => Promise<unknown>) => {
    try {
      await work();
      tell({ title });
    } catch (failure) {
      fail(failed, failure);
    } finally {
      setGone(null);
      void client.invalidateQueries({ queryKey: ["webhooks"] });
    }
  };
  const columns: TableColumn<Webhook>[] = [
    {
      key: "name",
      title: "Webhook",
      cell: (row) => (
        <div className="admin-name">
          <strong>{row.name}</strong>
          <span className="quiet admin-detail">{row.url}</span>
        </div>
      ),
    },
    { key: "kinds", title: "Events", cell: (row) => row.kinds.join(", ") || "All" },
    {
      key: "state",
      title: "State",
      cell: (row) => (
        <span>
          <Label isCompact color={row.failures > 0 ? "orange" : "green"}>
            {states[row.state] ?? row.state}
          </Label>{" "}
          {row.last_error && <TextWithTimes text={row.last_error} />}
        </span>
      ),
    },
    {
      key: "delivered",
      title: "Delivered",
      numeric: true,
      tight: true,
      cell: (row) => count(row.delivered),
    },
    {
      key: "actions",
      title: "",
      tight: true,
      cell: (row) => (
        <>
          <Button
            variant="link"
            size="sm"
            onClick={() =>
              void act(`Retrying webhook ${row.name}`, `Cannot retry webhook ${row.name}`, () =>
                api.post(`/api/v1/webhooks/${part(row.name)}/resume`),
              )
            }
          >
            Retry delivery
          </Button>
          <Button variant="link" size="sm" isDanger onClick={() => setGone(row)}>
            Delete…
          </Button>
        </>
      ),
    },
  ];
  return (
    <Card isCompact className="admin-wide">
      <CardTitle component="h2">Webhooks</CardTitle>
      <CardBody>
        {hooks.error && <ErrorView error={hooks.error} retry={() => void hooks.refetch()} />}
        {hooks.data && (
          <DataTable
            label="Webhooks"
            columns={columns}
            rows={hooks.data.items}
            rowKey={(row) => row.name}
            empty={
              <p className="quiet">No webhooks. Add a webhook to send events to another system.</p>
            }
          />
        )}
        <Button variant="link" isInline onClick={() => setAdding(true)}>
          Add webhook
        </Button>
      </CardBody>
      {adding && <WebhookForm onClose={() => setAdding(false)} onSecret={setSecret} />}
      {secret !== "" && (
        <Secret
          title="Webhook secret"
          text={secret}
          about="Copy the secret now; it is not shown again. Messages are signed with it."
          onClose={() => setSecret("")}
        />
      )}
      {gone && (
        <ConfirmDialog
          title={`Delete webhook ${gone.name}?`}
          action="Delete webhook"
          danger
          onConfirm={() =>
            act(`Webhook ${gone.name} deleted`, `Cannot delete webhook ${gone.name}`, () =>
              api.remove(`/api/v1/webhooks/${part(gone.name)}`),
            )
          }
          onClose={() => setGone(null)}
        >
          Events are no longer sent to {gone.url}.
        </ConfirmDialog>
      )}
    </Card>
  );
}

interface FormProps {
  onClose: () => void;
  onSecret: (text: string) => void;
}

function WebhookForm({ onClose, onSecret }: FormProps) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [kinds, setKinds] = useState("job.*, node.*");
  return (
    <FormDialog
      title="Add webhook"
      action="Add webhook"
      ready={name !== "" && url !== ""}
      onSubmit={async () => {
        const webhook = await api.post<{ secret?: string }>("/api/v1/webhooks", {
          name,
          url,
          kinds: kinds.split(/[\s,]+/).filter(Boolean),
        });
        void client.invalidateQueries({ queryKey: ["webhooks"] });
        onClose();
        if (webhook.secret) onSecret(webhook.secret);
      }}
      onClose={onClose}
    >
      <Field id="hook-name" label="Name" value={name} onChange={setName} isRequired />
      <Field
        id="hook-url"
        label="URL"
        type="url"
        value={url}
        onChange={setUrl}
        hint="https only"
        isRequired
      />
      <Field
        id="hook-kinds"
        label="Events"
        value={kinds}
        onChange={setKinds}
        hint="Event kinds, separated by commas. Empty: all events."
      />
    </FormDialog>
  );
}

// The cluster, its engines, its maintenance policy and its webhooks.
import { Card, CardBody, CardTitle, Label } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router-dom";
import { api } from "../../api/client";
import { ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { Policy } from "../windows/Policy";
import type { ClusterRecord } from "./types";
import { Webhooks } from "./Webhooks";

export function Settings() {
  const cluster = useQuery({
    queryKey: ["cluster"],
    queryFn: ({ signal }) => api.get<ClusterRecord>("/api/v1/cluster", { signal }),
    refetchInterval: 10_000,
  });
  if (cluster.error && !cluster.data)
    return <ErrorView error={cluster.error} retry={() => void cluster.refetch()} />;
  if (!cluster.data) return <LoadingView what="cluster" />;
  const is = cluster.data;
  return (
    <div className="admin-cards">
      <Card isCompact>
        <CardTitle component="h2">This cluster</CardTitle>
        <CardBody>
          <dl className="admin-facts">
            <dt>Cluster ID</dt>
            <dd className="mono">{is.id}</dd>
            <dt>Created</dt>
            <dd>
              <Time at={is.made} />
            </dd>
            <dt>Connected server</dt>
            <dd>
              {is.server}, version {is.version}
            </dd>
            <dt>CA fingerprint</dt>
            <dd className="mono admin-detail">{is.authority}</dd>
            <dt>Servers and zones</dt>
            <dd>
              <Link to="/topology">Topology</Link>
            </dd>
          </dl>
        </CardBody>
      </Card>
      <Card isCompact>
        <CardTitle component="h2">Engines, as reported by {is.server}</CardTitle>
        <CardBody>
          <dl className="admin-facts">
            {Object.entries(is.state.engines ?? {}).map(([name, engine]) => (
              <div key={name} className="admin-fact">
                <dt>{name}</dt>
                <dd>
                  <Label isCompact color={engine.state === "answers" ? "green" : "red"}>
                    {engine.state === "answers" ? "Available" : "Not responding"}
                  </Label>{" "}
                  since <Time at={engine.since} /> {engine.detail}
                </dd>
              </div>
            ))}
          </dl>
          <p className="quiet">
            Server settings are in the configuration file of each server. Run{" "}
            <code>muster config docs</code> for a list of all settings.
          </p>
        </CardBody>
      </Card>
      <section className="admin-wide" aria-label="Maintenance policy">
        <Policy />
      </section>
      <Webhooks />
    </div>
  );
}

// Everything about one system.
import { Breadcrumb, BreadcrumbItem, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams, useSearchParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import type { System } from "../../api/types";
import { useMay } from "../../app/session";
import { SystemActions } from "../../components/actions/SystemActions";
import { selectedTarget } from "../../components/actions/target";
import { CopyCli } from "../../components/CopyCli";
import { PageFrame } from "../../components/PageFrame";
import { StateLabel } from "../../components/StateLabel";
import { ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { Facts } from "./Facts";
import { History } from "./History";
import { Identity } from "./Identity";
import { Tasks } from "./Tasks";

export function useSystem(id: string) {
  const client = useQueryClient();
  const queryKey = ["systems", "one", id];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      // Names are given anew and deleted systems have none: who was found once stays meant.
      const fingerprint = client.getQueryData<System>(queryKey)?.fingerprint;
      return api.get<System>(`/api/v1/keys/${part(fingerprint ?? id)}`, { signal });
    },
    refetchInterval: 5_000,
  });
}

function Whereabouts({ system }: { system: System }) {
  if (system.stage !== "accepted")
    return (
      <>
        <StateLabel state={system.stage} />{" "}
        {system.stage === "pooled" && <Link to="/onboarding">Waiting for acceptance</Link>}
      </>
    );
  return (
    <>
      <StateLabel state={system.state} />{" "}
      {system.state === "onboarded" ? (
        <>
          on node <Link to="/topology">{system.node}</Link>
        </>
      ) : (
        <>
          not attached to a node
          {system.reason && `: ${system.reason}`}
        </>
      )}
      {system.last_seen && (
        <>
          , last seen <Time at={system.last_seen} style="relative" />
        </>
      )}
    </>
  );
}

export function SystemPage() {
  const { system: id = "" } = useParams();
  const [params, setParams] = useSearchParams();
  const systemQuery = useSystem(id);
  const mayJobs = useMay("jobs.read");
  const above = (
    <Breadcrumb>
      <BreadcrumbItem
        render={({ className }) => (
          <Link to="/search" className={className}>
            Search
          </Link>
        )}
      />
      <BreadcrumbItem isActive>{systemQuery.data?.name ?? id}</BreadcrumbItem>
    </Breadcrumb>
  );
  if (!systemQuery.data)
    return (
      <PageFrame title={id} above={above}>
        {systemQuery.error ? (
          <ErrorView error={systemQuery.error} retry={() => void systemQuery.refetch()} />
        ) : (
          <LoadingView what="system" />
        )}
      </PageFrame>
    );
  const system = systemQuery.data;
  const tab = params.get("tab") ?? "identity";
  return (
    <PageFrame
      title={system.name}
      above={above}
      subtitle={<Whereabouts system={system} />}
      actions={
        system.stage === "accepted" && (
          <div className="system-actions">
            <SystemActions target={selectedTarget([system])} />
            <CopyCli command={commandLine("muster", "systems", "show", system.name)} />
          </div>
        )
      }
    >
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => setParams({ tab: String(key) }, { replace: true })}
        mountOnEnter
        unmountOnExit
        aria-label="System details"
      >
        <Tab eventKey="identity" title={<TabTitleText>System</TabTitleText>}>
          <Identity system={system} />
        </Tab>
        <Tab eventKey="facts" title={<TabTitleText>Facts</TabTitleText>}>
          <Facts system={system} />
        </Tab>
        {mayJobs && system.number !== null && (
          <Tab eventKey="jobs" title={<TabTitleText>Jobs</TabTitleText>}>
            <Tasks system={system} />
          </Tab>
        )}
        <Tab eventKey="history" title={<TabTitleText>History</TabTitleText>}>
          <History system={system} />
        </Tab>
      </Tabs>
    </PageFrame>
  );
}

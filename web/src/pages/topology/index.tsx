// Zones, their nodes, who serves which slots, what moves, and what became of nodes.
import { Button, Flex } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Route, Routes, useParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { api } from "../../api/client";
import type { Page } from "../../api/types";
import { useMay } from "../../app/session";
import { useZone } from "../../app/zone";
import { CopyCli } from "../../components/CopyCli";
import { PageFrame } from "../../components/PageFrame";
import { PageTabs } from "../../components/PageTabs";
import { ErrorView, LoadingView } from "../../components/states";
import { useStats } from "../../components/useStats";
import { History } from "./History";
import { Pool } from "./Pool";
import { TokenDialog } from "./TokenDialog";
import { inTree } from "./tree";
import type { NodeRecord, Topology } from "./types";
import { ZoneCard } from "./ZoneCard";
import { ZoneDialog } from "./ZoneDialog";
import "./topology.css";

const lookEvery = 3_000;

export default function TopologyPages() {
  return (
    <Routes>
      <Route index element={<TopologyPage />} />
      <Route path=":tab" element={<TopologyPage />} />
    </Routes>
  );
}

function TopologyPage() {
  const { tab = "picture" } = useParams();
  const may = useMay("topology.change");
  const [dialog, setDialog] = useState<"token" | "zone" | null>(null);
  return (
    <PageFrame
      title="Topology"
      actions={
        <Flex gap={{ default: "gapSm" }}>
          <CopyCli command={commandLine("muster", "nodes")} />
          {may && (
            <>
              <Button variant="secondary" onClick={() => setDialog("zone")}>
                Create zone
              </Button>
              <Button onClick={() => setDialog("token")}>Add server</Button>
            </>
          )}
        </Flex>
      }
    >
      <PageTabs
        label="Topology views"
        base="/topology"
        open={tab}
        tabs={[
          { key: "picture", title: "Zones and nodes", show: () => <Picture /> },
          { key: "history", title: "History", show: () => <History /> },
        ]}
      />
      {dialog === "token" && <TokenDialog onClose={() => setDialog(null)} />}
      {dialog === "zone" && <ZoneDialog onClose={() => setDialog(null)} />}
    </PageFrame>
  );
}

function Picture() {
  const { zone: chosen } = useZone();
  const stats = useStats();
  const topology = useQuery({
    queryKey: ["topology"],
    queryFn: ({ signal }) => api.get<Topology>("/api/v1/topology", { signal }),
    refetchInterval: lookEvery,
  });
  const nodes = useQuery({
    queryKey: ["nodes"],
    queryFn: ({ signal }) => api.get<Page<NodeRecord>>("/api/v1/nodes", { signal }),
    refetchInterval: lookEvery,
  });
  if (topology.error && !topology.data)
    return <ErrorView error={topology.error} retry={() => void topology.refetch()} />;
  if (!topology.data) return <LoadingView what="topology" />;
  const placed = inTree(topology.data.zones).filter(
    (entry) => chosen === "" || entry.zone.name === chosen,
  );
  const zoneNames = new Set(topology.data.zones.map((zone) => zone.name));
  const outside = (nodes.data?.items ?? []).filter((node) => !zoneNames.has(node.zone ?? ""));
  return (
    <div className="topology">
      <Pool nodes={outside} zones={topology.data.zones.map((zone) => zone.name)} />
      {placed.map(({ zone, depth }) => (
        <ZoneCard
          key={zone.name}
          zone={zone}
          depth={depth}
          driver={topology.data.driver}
          stats={stats.data}
          zones={topology.data.zones.map((zone) => zone.name)}
        />
      ))}
    </div>
  );
}

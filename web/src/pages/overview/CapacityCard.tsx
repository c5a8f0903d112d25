// Zones and nodes: what they bear, and what is left.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import type { NodeStats, Stats } from "../../api/types";
import { bytes, count, percent, plural } from "../../components/format";
import { Meter } from "../../components/Meter";
import { StateLabel } from "../../components/StateLabel";

const nodesShown = 12;

function NodeRow({ node }: { node: NodeStats }) {
  const load = node.cpu ?? 0;
  return (
    <tr>
      <th scope="row">
        <Link to="/topology">{node.name}</Link>
      </th>
      <td>
        <StateLabel
          state={node.there ? node.state : "offline"}
          text={node.there ? undefined : "Offline"}
        />
      </td>
      <td className="number">{count(node.attached)}</td>
      <td className="places-load">
        {node.cpu === null ? (
          <span className="quiet">Not reported</span>
        ) : (
          <>
            <Meter
              share={load}
              kind={load > 0.9 ? "bad" : load > 0.7 ? "warn" : "good"}
              label={`Load ${percent(load)}`}
            />
            <span className="quiet">{percent(node.headroom ?? 1 - load)} free</span>
          </>
        )}
      </td>
      <td className="number hide-narrow">
        {node.memory_bytes === null ? "–" : bytes(node.memory_bytes)}
      </td>
    </tr>
  );
}

export function CapacityCard({ stats, zone }: { stats: Stats; zone: string }) {
  const zones = stats.zones.filter((zoneStats) => zone === "" || zoneStats.name === zone);
  const served = stats.nodes.filter((node) => zone === "" || node.zone === zone);
  // Zones that work before those that are empty.
  const serves = (name: string) => served.some((node) => node.zone === name);
  const inOrder = [...zones].sort((a, b) => Number(serves(b.name)) - Number(serves(a.name)));
  return (
    <Card>
      <CardTitle component="h2">
        {plural(zones.length, "zone")}, {plural(served.length, "node")}
      </CardTitle>
      <CardBody>
        {inOrder.map((zoneStats) => {
          const nodes = served.filter((node) => node.zone === zoneStats.name);
          // Those that matter first: away or loaded.
          const sorted = [...nodes].sort(
            (a, b) => Number(a.there) - Number(b.there) || (b.cpu ?? 0) - (a.cpu ?? 0),
          );
          const heading = (
            <>
              <strong>{zoneStats.name}</strong>{" "}
              <span className="quiet">
                {plural(zoneStats.systems, "system")}, {count(zoneStats.attached)} attached
                {nodes.length > 0 &&
                  zoneStats.slots_unplaced > 0 &&
                  `, ${plural(zoneStats.slots_unplaced, "slot")} without a node`}
              </span>
            </>
          );
          if (nodes.length === 0)
            return (
              <div key={zoneStats.name} className="places-none">
                {heading}
                <div className="quiet">
                  No nodes in this zone. <Link to="/topology">Accept a node</Link>.
                </div>
              </div>
            );
          return (
            <table key={zoneStats.name} className="places">
              <caption>{heading}</caption>
              <thead>
                <tr>
                  <th scope="col">Node</th>
                  <th scope="col">State</th>
                  <th scope="col" className="number">
                    Attached
                  </th>
                  <th scope="col">Load</th>
                  <th scope="col" className="number hide-narrow">
                    Memory
                  </th>
                </tr>
              </thead>
              <tbody>
                {sorted.slice(0, nodesShown).map((node) => (
                  <NodeRow key={node.name} node={node} />
                ))}
                {nodes.length > nodesShown && (
                  <tr>
                    <td colSpan={5}>
                      <Link to="/topology">Show {nodes.length - nodesShown} more</Link>
                    </td>
                  </tr>
                )}
              </tbody>
            </table>
          );
        })}
      </CardBody>
    </Card>
  );
}

// Servers that are in no zone: those that wait to be taken in, and those that are no nodes.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { NodeCard } from "./NodeCard";
import type { NodeRecord } from "./types";

export function Pool({ nodes, zones }: { nodes: NodeRecord[]; zones: string[] }) {
  if (nodes.length === 0) return null;
  const waiting = nodes.some((node) => node.state === "pooled" || node.state === "staged");
  return (
    <Card isCompact component="section" aria-label="Not in a zone">
      <CardTitle component="h2">Not in a zone</CardTitle>
      <CardBody>
        {waiting && (
          <p>
            Stage a pooled node first; staging deletes its data. Then accept the node into a zone.
          </p>
        )}
        <ul className="node-cards" aria-label="Nodes without a zone">
          {nodes.map((node) => (
            <li key={node.name}>
              <NodeCard node={node} zones={zones} />
            </li>
          ))}
        </ul>
      </CardBody>
    </Card>
  );
}

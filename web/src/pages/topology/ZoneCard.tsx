// One zone: its nodes, what each bears, and the picture of its slots.
import { Alert, Button, Card, CardBody, CardTitle, Flex } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router-dom";
import { api, part } from "../../api/client";
import { word } from "../../api/query";
import type { Stats } from "../../api/types";
import { useMay } from "../../app/session";
import { colorsFor } from "../../components/colors";
import { count, plural, span } from "../../components/format";
import { Time } from "../../components/Time";
import { NodeCard } from "./NodeCard";
import { SlotMap } from "./SlotMap";
import { type Move, movesBetween, type SlotTable, tableOf } from "./slots";
import type { SlotRuns, ZoneRecord } from "./types";
import { ZoneDialog } from "./ZoneDialog";

const movesShown = 6;
const movesKept = 50;

// The table, and what has moved since this page was opened.
function useSlots(zone: ZoneRecord) {
  const slots = useQuery({
    // Asked again when the table is another one.
    queryKey: ["slots", zone.name, zone.epoch],
    queryFn: ({ signal }) =>
      api.get<SlotRuns>(`/api/v1/zones/${part(zone.name)}/slots`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  });
  const last = useRef<SlotTable | null>(null);
  const [table, setTable] = useState<SlotTable | null>(null);
  const [moves, setMoves] = useState<Move[]>([]);
  useEffect(() => {
    if (!slots.data) return;
    const next = tableOf(slots.data);
    const before = last.current;
    last.current = next;
    setTable(next);
    if (!before) return;
    const newMoves = movesBetween(before, next, new Date());
    if (newMoves.length > 0) setMoves((is) => [...newMoves, ...is].slice(0, movesKept));
  }, [slots.data]);
  return { table, moves };
}

interface Props {
  zone: ZoneRecord;
  depth: number;
  driver: string;
  stats: Stats | undefined;
  zones: string[];
}

export function ZoneCard({ zone, depth, driver, stats, zones }: Props) {
  const may = useMay("topology.change", zone.name);
  const [editing, setEditing] = useState(false);
  const { table, moves } = useSlots(zone);
  const tones = colorsFor(zone.nodes.map((node) => node.name));
  const load = stats?.zones.find((zoneStats) => zoneStats.name === zone.name);
  return (
    <Card
      isCompact
      className={depth > 0 ? "zone zone-below" : "zone"}
      style={{ marginInlineStart: `${Math.min(depth, 4) * 1.5}rem` }}
      component="section"
      aria-label={`Zone ${zone.name}`}
    >
      <CardTitle component="h2">
        <Flex
          justifyContent={{ default: "justifyContentSpaceBetween" }}
          alignItems={{ default: "alignItemsCenter" }}
        >
          <span>
            {zone.name} <span className="zone-about">{zone.description}</span>
          </span>
          {may && (
            <Button variant="link" size="sm" onClick={() => setEditing(true)}>
              Edit zone…
            </Button>
          )}
        </Flex>
      </CardTitle>
      <CardBody>
        {zone.held && (
          <Alert
            isInline
            variant="danger"
            component="h3"
            title="Zone frozen: more than half of its nodes are missing"
          >
            A network fault is likely. No node is evicted and no slots move until the nodes are
            back. Check the network.
            {zone.hold && (
              <>
                {" "}
                {zone.hold.missing} of {zone.hold.members} nodes missing since{" "}
                <Time at={zone.hold.since} />.
              </>
            )}
          </Alert>
        )}
        <p className="zone-facts">
          <Link to={`/search?q=${encodeURIComponent(`zone:${word(zone.name)}`)}`}>
            {plural(load?.systems ?? 0, "system")}
          </Link>
          <span>{count(load?.attached ?? 0)} attached</span>
          <span>{plural(zone.nodes.length, "node")}</span>
          {(load?.slots_unplaced ?? 0) > 0 && (
            <strong>{plural(load?.slots_unplaced ?? 0, "slot")} without a node</strong>
          )}
          <span className="quiet">Node timeout {span(zone.disaster_timeout)}</span>
          {zone.tasks_max && (
            <span className="quiet">Maximum {count(zone.tasks_max)} parallel tasks</span>
          )}
        </p>
        {zone.nodes.length > 0 && (
          <div className="zone-body">
            {table && <SlotMap table={table} tones={tones} zone={zone.name} />}
            <ul className="node-cards" aria-label={`Nodes of ${zone.name}`}>
              {zone.nodes.map((node) => (
                <li key={node.name}>
                  <NodeCard
                    node={node}
                    tone={tones.get(node.name) ?? 7}
                    isDriver={node.name === driver}
                    load={stats?.nodes.find((nodeStats) => nodeStats.name === node.name)}
                    zones={zones}
                  />
                </li>
              ))}
            </ul>
          </div>
        )}
        {zone.nodes.length === 0 && (
          <p className="quiet">No nodes in this zone. Accept a node to serve its systems.</p>
        )}
        {moves.length > 0 && (
          <div className="moves" role="log" aria-label={`Moves in ${zone.name}`}>
            <h3>Slot moves since this page was opened</h3>
            <ul>
              {moves.slice(0, movesShown).map((move, n) => (
                <li key={`${move.at.getTime()} ${n}`}>
                  <strong>{plural(move.slots, "slot")}</strong> {move.from || "no node"} →{" "}
                  {move.to || "no node"} <Time at={move.at.toISOString()} style="relative" />
                </li>
              ))}
            </ul>
          </div>
        )}
      </CardBody>
      {editing && <ZoneDialog zone={zone} onClose={() => setEditing(false)} />}
    </Card>
  );
}

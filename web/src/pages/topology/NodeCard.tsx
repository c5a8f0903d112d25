// One node: how it stands, what it bears, what can be done with it.
import { Dropdown, DropdownItem, DropdownList, Label, MenuToggle } from "@patternfly/react-core";
import EllipsisVIcon from "@patternfly/react-icons/dist/esm/icons/ellipsis-v-icon";
import { useState } from "react";
import { Link } from "react-router-dom";
import { word } from "../../api/query";
import type { NodeStats } from "../../api/types";
import { useMay } from "../../app/session";
import { bytes, count, percent } from "../../components/format";
import { Meter } from "../../components/Meter";
import { StateLabel } from "../../components/StateLabel";
import { TextWithTimes } from "../../components/TextWithTimes";
import { Time } from "../../components/Time";
import { actionsFor, type NodeAction, stateOf } from "./actions";
import { LimitDialog } from "./LimitDialog";
import { NodeActionDialog } from "./NodeActionDialog";
import type { NodeRecord } from "./types";

interface Props {
  node: NodeRecord;
  tone?: number;
  isDriver?: boolean;
  load?: NodeStats;
  zones: string[];
}

export function NodeCard({ node, tone, isDriver, load, zones }: Props) {
  const cpu = load?.cpu ?? null;
  const state = stateOf(node);
  return (
    <div className="node-card">
      <div className="node-head">
        <span className="node-name">
          {tone !== undefined && <span className={`tone-dot tone-${tone}`} aria-hidden="true" />}
          <strong>{node.name}</strong>
        </span>
        <NodeMenu node={node} zones={zones} />
      </div>
      <div className="node-labels">
        <StateLabel state={state} />
        {isDriver && (
          <Label isCompact color="purple">
            Driver
          </Label>
        )}
        {!node.there && (
          <Label isCompact color="red">
            Offline
          </Label>
        )}
      </div>
      {node.slots !== undefined && (
        <dl className="node-facts">
          <div>
            <dt>Systems</dt>
            <dd>
              <Link to={`/search?q=${encodeURIComponent(`node:${word(node.name)}`)}`}>
                {count(load?.attached ?? node.attached ?? 0)}
              </Link>
              {node.systems_max ? ` of ${count(node.systems_max)}` : ""}
            </dd>
          </div>
          <div>
            <dt>Slots</dt>
            <dd>{count(node.slots)}</dd>
          </div>
          {load?.memory_bytes != null && (
            <div>
              <dt>Memory</dt>
              <dd>{bytes(load.memory_bytes)}</dd>
            </div>
          )}
          {(load?.attach_rate ?? 0) >= 0.5 && (
            <div>
              <dt>Attaching</dt>
              <dd>{count(Math.round(load?.attach_rate ?? 0))}/s</dd>
            </div>
          )}
        </dl>
      )}
      {cpu !== null && (
        <div className="node-cpu">
          <span>Load {percent(cpu)}</span>
          <Meter
            share={cpu}
            label={`Load ${percent(cpu)}`}
            kind={cpu > 0.9 ? "bad" : cpu > 0.7 ? "warn" : "good"}
          />
        </div>
      )}
      {state !== "serving" && node.reason && (
        <p className="node-reason">
          <TextWithTimes text={node.reason} />
        </p>
      )}
      <p className="quiet node-foot">
        {node.address}
        {node.since && (
          <>
            {" · since "}
            <Time at={node.since} style="minute" />
          </>
        )}
      </p>
    </div>
  );
}

function NodeMenu({ node, zones }: { node: NodeRecord; zones: string[] }) {
  const may = useMay("topology.change", node.zone || undefined);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<NodeAction | null>(null);
  const [limiting, setLimiting] = useState(false);
  const actions = actionsFor(node);
  if (!may || node.state === "no node") return null;
  return (
    <>
      <Dropdown
        isOpen={open}
        onOpenChange={setOpen}
        onSelect={() => setOpen(false)}
        popperProps={{ position: "end" }}
        toggle={(ref) => (
          <MenuToggle
            ref={ref}
            variant="plain"
            isExpanded={open}
            aria-label={`Actions of ${node.name}`}
            icon={<EllipsisVIcon />}
            onClick={() => setOpen((is) => !is)}
          />
        )}
      >
        <DropdownList>
          {actions.map((action) => (
            <DropdownItem
              key={action.verb}
              isDanger={action.danger}
              onClick={() => setChosen(action)}
            >
              {action.label}
            </DropdownItem>
          ))}
          <DropdownItem onClick={() => setLimiting(true)}>Set system limit…</DropdownItem>
        </DropdownList>
      </Dropdown>
      {chosen && (
        <NodeActionDialog
          node={node}
          action={chosen}
          zones={zones}
          onClose={() => setChosen(null)}
        />
      )}
      {limiting && <LimitDialog node={node} onClose={() => setLimiting(false)} />}
    </>
  );
}

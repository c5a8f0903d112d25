// What can be shown of a system in a list.
import { Label, LabelGroup } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import { shortFingerprint } from "../../api/names";
import type { System } from "../../api/types";
import { StateLabel } from "../../components/StateLabel";
import { Time } from "../../components/Time";
import type { Column } from "../../components/VirtualRows";

function Words({ words, colour }: { words: string[]; colour: "blue" | "purple" }) {
  if (words.length === 0) return <span className="quiet">–</span>;
  return (
    <LabelGroup numLabels={3} collapsedText={`+${words.length - 3}`}>
      {words.map((word) => (
        <Label key={word} isCompact color={colour}>
          {word}
        </Label>
      ))}
    </LabelGroup>
  );
}

export const columns: Column<System>[] = [
  {
    key: "name",
    title: "Name",
    width: "minmax(11rem, 2fr)",
    cell: (system) => (
      <Link to={`/systems/${system.number ?? system.fingerprint}`}>{system.name}</Link>
    ),
  },
  {
    key: "state",
    title: "State",
    width: "7rem",
    cell: (system) => <StateLabel state={system.state} />,
  },
  { key: "zone", title: "Zone", width: "minmax(5rem, 1fr)", cell: (system) => system.zone },
  { key: "node", title: "Node", width: "minmax(5rem, 1fr)", cell: (system) => system.node ?? "–" },
  {
    key: "tags",
    title: "Tags",
    width: "minmax(7rem, 2fr)",
    cell: (system) => <Words words={system.tags} colour="blue" />,
  },
  {
    key: "groups",
    title: "Groups",
    width: "minmax(7rem, 2fr)",
    cell: (system) => <Words words={system.groups} colour="purple" />,
  },
  { key: "number", title: "Number", width: "6rem", cell: (system) => system.number },
  { key: "address", title: "Address", width: "9rem", cell: (system) => system.address ?? "–" },
  {
    key: "last_seen",
    title: "Last seen",
    width: "7rem",
    cell: (system) => <Time at={system.last_seen} style="relative" />,
  },
  {
    key: "accepted",
    title: "Accepted",
    width: "12rem",
    cell: (system) => <Time at={system.accepted} />,
  },
  {
    key: "accepted_by",
    title: "Accepted by",
    width: "9rem",
    cell: (system) => system.accepted_by ?? "–",
  },
  {
    key: "machine_id",
    title: "Machine ID",
    width: "19rem",
    cell: (system) => <code>{system.machine_id}</code>,
  },
  {
    key: "fingerprint",
    title: "Fingerprint",
    width: "12rem",
    cell: (system) => (
      <code title={system.fingerprint}>{shortFingerprint(system.fingerprint)}</code>
    ),
  },
];

export const usualColumns = ["name", "state", "zone", "node", "tags", "last_seen"];
const place = "muster.columns";

export function storedColumns(): string[] {
  const stored = localStorage.getItem(place)?.split(",") ?? [];
  const validKeys = stored.filter((key) => columns.some((column) => column.key === key));
  return validKeys.length > 0 ? validKeys : usualColumns;
}

export function storeColumns(keys: string[]): void {
  localStorage.setItem(place, keys.join(","));
}

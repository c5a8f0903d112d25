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
      {words.map((each) => (
        <Label key={each} isCompact color={colour}>
          {each}
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
    cell: (each) => <Link to={`/systems/${each.number ?? each.fingerprint}`}>{each.name}</Link>,
  },
  {
    key: "state",
    title: "State",
    width: "7rem",
    cell: (each) => <StateLabel state={each.state} />,
  },
  { key: "zone", title: "Zone", width: "minmax(5rem, 1fr)", cell: (each) => each.zone },
  { key: "node", title: "Node", width: "minmax(5rem, 1fr)", cell: (each) => each.node ?? "–" },
  {
    key: "tags",
    title: "Tags",
    width: "minmax(7rem, 2fr)",
    cell: (each) => <Words words={each.tags} colour="blue" />,
  },
  {
    key: "groups",
    title: "Groups",
    width: "minmax(7rem, 2fr)",
    cell: (each) => <Words words={each.groups} colour="purple" />,
  },
  { key: "number", title: "Number", width: "6rem", cell: (each) => each.number },
  { key: "address", title: "Address", width: "9rem", cell: (each) => each.address ?? "–" },
  {
    key: "last_seen",
    title: "Last seen",
    width: "7rem",
    cell: (each) => <Time at={each.last_seen} style="relative" />,
  },
  {
    key: "accepted",
    title: "Accepted",
    width: "12rem",
    cell: (each) => <Time at={each.accepted} />,
  },
  {
    key: "accepted_by",
    title: "Accepted by",
    width: "9rem",
    cell: (each) => each.accepted_by ?? "–",
  },
  {
    key: "machine_id",
    title: "Machine id",
    width: "19rem",
    cell: (each) => <code>{each.machine_id}</code>,
  },
  {
    key: "fingerprint",
    title: "Fingerprint",
    width: "12rem",
    cell: (each) => <code title={each.fingerprint}>{shortFingerprint(each.fingerprint)}</code>,
  },
];

export const usualColumns = ["name", "state", "zone", "node", "tags", "last_seen"];
const place = "muster.columns";

export function storedColumns(): string[] {
  const stored = localStorage.getItem(place)?.split(",") ?? [];
  const known = stored.filter((each) => columns.some((column) => column.key === each));
  return known.length > 0 ? known : usualColumns;
}

export function storeColumns(keys: string[]): void {
  localStorage.setItem(place, keys.join(","));
}

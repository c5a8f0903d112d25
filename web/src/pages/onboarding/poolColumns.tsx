import { Button, Label, LabelGroup } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import { shortFingerprint } from "../../api/names";
import type { System } from "../../api/types";
import { Time } from "../../components/Time";
import type { Column } from "../../components/VirtualRows";

function Words({ system }: { system: System }) {
  if (system.tags.length + system.groups.length === 0) return <span className="quiet">–</span>;
  return (
    <LabelGroup numLabels={4}>
      {[
        ...system.tags.map((tag) => (
          <Label key={`t ${tag}`} isCompact color="blue">
            {tag}
          </Label>
        )),
        ...system.groups.map((group) => (
          <Label key={`g ${group}`} isCompact color="purple">
            {group}
          </Label>
        )),
      ]}
    </LabelGroup>
  );
}

export function poolColumns(look: (system: System) => void): Column<System>[] {
  return [
    {
      key: "name",
      title: "Name",
      width: "minmax(9rem, 2fr)",
      cell: (system) => (
        <Button variant="link" isInline onClick={() => look(system)}>
          {system.name}
        </Button>
      ),
    },
    { key: "origin", title: "Address", width: "8rem", cell: (system) => system.origin },
    {
      key: "enrolled",
      title: "Enrolled",
      width: "7rem",
      cell: (system) => <Time at={system.enrolled} style="relative" />,
    },
    {
      key: "labels",
      title: "Tags, groups",
      width: "minmax(7rem, 1.5fr)",
      cell: (system) => <Words system={system} />,
    },
    {
      key: "replaces",
      title: "Machine",
      width: "minmax(6rem, 1fr)",
      cell: (system) =>
        system.replaces ? (
          <Link to={`/systems/${system.replaces}`}>Known as system {system.replaces}</Link>
        ) : (
          <span className="quiet">New</span>
        ),
    },
    {
      key: "fingerprint",
      title: "Fingerprint",
      width: "11rem",
      cell: (system) => (
        <code title={system.fingerprint}>{shortFingerprint(system.fingerprint)}</code>
      ),
    },
  ];
}

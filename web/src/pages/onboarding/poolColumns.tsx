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
        ...system.tags.map((each) => (
          <Label key={`t ${each}`} isCompact color="blue">
            {each}
          </Label>
        )),
        ...system.groups.map((each) => (
          <Label key={`g ${each}`} isCompact color="purple">
            {each}
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
      cell: (each) => (
        <Button variant="link" isInline onClick={() => look(each)}>
          {each.name}
        </Button>
      ),
    },
    { key: "origin", title: "From", width: "8rem", cell: (each) => each.origin },
    {
      key: "enrolled",
      title: "Since",
      width: "7rem",
      cell: (each) => <Time at={each.enrolled} style="relative" />,
    },
    {
      key: "labels",
      title: "Tags, groups",
      width: "minmax(7rem, 1.5fr)",
      cell: (each) => <Words system={each} />,
    },
    {
      key: "replaces",
      title: "Says it is",
      width: "minmax(6rem, 1fr)",
      cell: (each) =>
        each.replaces ? (
          <Link to={`/systems/${each.replaces}`}>system {each.replaces}, anew</Link>
        ) : (
          <span className="quiet">new</span>
        ),
    },
    {
      key: "fingerprint",
      title: "Fingerprint",
      width: "11rem",
      cell: (each) => <code title={each.fingerprint}>{shortFingerprint(each.fingerprint)}</code>,
    },
  ];
}

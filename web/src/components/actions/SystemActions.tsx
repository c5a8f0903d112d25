// Buttons and a menu for what can be done with systems.
import {
  Button,
  Divider,
  Dropdown,
  DropdownItem,
  DropdownList,
  MenuToggle,
} from "@patternfly/react-core";
import { type ComponentType, useState } from "react";
import { useNavigate } from "react-router-dom";
import { useSession } from "../../app/session";
import { BulkProgress } from "../BulkProgress";
import { useBulk } from "../useBulk";
import { ApplyDialog } from "./ApplyDialog";
import {
  type ActionProps,
  DeleteDialog,
  LabelDialog,
  MoveDialog,
  UnregisterDialog,
} from "./dialogs";
import { selectedMax, type Target } from "./target";
import { WindowDialog } from "./WindowDialog";

interface Entry {
  key: string;
  title: string;
  right: string;
  Dialog: ComponentType<ActionProps>;
  byExpression?: boolean; // the API takes no list of systems for it
  danger?: boolean;
}

const entries: Entry[] = [
  {
    key: "tags",
    title: "Tags…",
    right: "systems.change",
    Dialog: (props) => <LabelDialog {...props} kind="tags" />,
  },
  {
    key: "groups",
    title: "Groups…",
    right: "systems.change",
    Dialog: (props) => <LabelDialog {...props} kind="groups" />,
  },
  {
    key: "window",
    title: "Maintenance schedule…",
    right: "windows.change",
    Dialog: WindowDialog,
    byExpression: true,
  },
  {
    key: "apply",
    title: "Apply configuration…",
    right: "jobs.run",
    Dialog: ApplyDialog,
    byExpression: true,
  },
  { key: "move", title: "Move to zone…", right: "systems.change", Dialog: MoveDialog },
  {
    key: "reconnect",
    title: "Reconnect…",
    right: "systems.change",
    Dialog: UnregisterDialog,
  },
  { key: "delete", title: "Delete…", right: "systems.change", Dialog: DeleteDialog, danger: true },
];

interface Props {
  target: Target;
  isReady?: boolean; // not: whom it is about is not known yet, or not any more
}

export function SystemActions({ target, isReady = true }: Props) {
  const { may } = useSession();
  const go = useNavigate();
  const { run, progress } = useBulk();
  const [open, setOpen] = useState(false);
  // Whom it is about stays as it was when the dialog opened, whatever is found meanwhile.
  const [chosen, setChosen] = useState<{ entry: Entry; target: Target } | null>(null);
  const many = target.fingerprints !== undefined && target.count > selectedMax;
  const none = target.count === 0 || !isReady;
  const allowed = entries.filter((entry) => may(entry.right));
  const toJob = () => go(`/jobs/new?${new URLSearchParams({ q: target.query })}`);
  return (
    <div className="actions">
      {may("jobs.run") && (
        <Button isDisabled={none || many} onClick={toJob}>
          Run…
        </Button>
      )}
      {allowed.length > 0 && (
        <Dropdown
          isOpen={open}
          onOpenChange={setOpen}
          onSelect={() => setOpen(false)}
          popperProps={{ position: "right" }}
          toggle={(ref) => (
            <MenuToggle
              ref={ref}
              isExpanded={open}
              isDisabled={none}
              onClick={() => setOpen((is) => !is)}
            >
              Actions
            </MenuToggle>
          )}
        >
          <DropdownList>
            {allowed.flatMap((entry) => [
              entry.danger ? <Divider key={`${entry.key}-line`} /> : null,
              <DropdownItem
                key={entry.key}
                isDanger={entry.danger}
                isDisabled={many && entry.byExpression}
                onClick={() => setChosen({ entry: entry, target })}
              >
                {entry.title}
              </DropdownItem>,
            ])}
          </DropdownList>
        </Dropdown>
      )}
      {chosen && (
        <chosen.entry.Dialog target={chosen.target} run={run} onClose={() => setChosen(null)} />
      )}
      {progress && <BulkProgress {...progress} />}
    </div>
  );
}

import { Dropdown, DropdownItem, DropdownList, MenuToggle } from "@patternfly/react-core";
import { useState } from "react";
import { columns, storeColumns } from "./columns";

interface Props {
  shown: string[];
  onChange: (keys: string[]) => void;
}

export function ColumnChoice({ shown, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const toggle = (key: string) => {
    const next = columns
      .map((column) => column.key)
      .filter((column) => (column === key ? !shown.includes(key) : shown.includes(column)));
    storeColumns(next);
    onChange(next);
  };
  return (
    <Dropdown
      isOpen={open}
      onOpenChange={setOpen}
      popperProps={{ position: "right" }}
      toggle={(ref) => (
        <MenuToggle ref={ref} isExpanded={open} onClick={() => setOpen((is) => !is)}>
          Columns
        </MenuToggle>
      )}
    >
      <DropdownList>
        {columns.map((column) => (
          <DropdownItem
            key={column.key}
            hasCheckbox
            isSelected={shown.includes(column.key)}
            isDisabled={column.key === "name"}
            onClick={() => toggle(column.key)}
          >
            {column.title}
          </DropdownItem>
        ))}
      </DropdownList>
    </Dropdown>
  );
}

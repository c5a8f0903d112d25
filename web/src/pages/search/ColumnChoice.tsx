import { Dropdown, DropdownItem, DropdownList, MenuToggle } from "@patternfly/react-core";
import { useState } from "react";
import { columns, storeColumns } from "./columns";

interface Props {
  columnKeys: string[];
  onChange: (keys: string[]) => void;
}

export function ColumnChoice({ columnKeys, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const toggle = (key: string) => {
    const next = columns
      .map((column) => column.key)
      .filter((column) =>
        column === key ? !columnKeys.includes(key) : columnKeys.includes(column),
      );
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
            isSelected={columnKeys.includes(column.key)}
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

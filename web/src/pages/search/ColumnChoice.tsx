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
      .map((each) => each.key)
      .filter((each) => (each === key ? !shown.includes(key) : shown.includes(each)));
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
        {columns.map((each) => (
          <DropdownItem
            key={each.key}
            hasCheckbox
            isSelected={shown.includes(each.key)}
            isDisabled={each.key === "name"}
            onClick={() => toggle(each.key)}
          >
            {each.title}
          </DropdownItem>
        ))}
      </DropdownList>
    </Dropdown>
  );
}

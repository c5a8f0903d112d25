// The right side of the masthead: zone, live state, theme, who is logged in.
import {
  Divider,
  Dropdown,
  DropdownGroup,
  DropdownItem,
  DropdownList,
  FormSelect,
  FormSelectOption,
  MenuToggle,
  Toolbar,
  ToolbarContent,
  ToolbarGroup,
  ToolbarItem,
} from "@patternfly/react-core";
import UserIcon from "@patternfly/react-icons/dist/esm/icons/user-icon";
import { useState } from "react";
import { useStreamState } from "./eventStream";
import { useNotifications } from "./notifications";
import { useSession } from "./session";
import { setShortcutsEnabled, shortcutsEnabled } from "./shortcutSettings";
import { showShortcuts } from "./shortcutsDialog";
import { chooseTheme, storedTheme, type Theme } from "./theme";
import { useConnection } from "./useConnection";
import { useZone } from "./zone";

function ZoneSelect() {
  const { zone, zones, choose } = useZone();
  if (zones.length < 2) return null;
  return (
    <FormSelect
      aria-label="Zone filter"
      value={zone}
      onChange={(_, value) => choose(value)}
      className="zone-select"
    >
      <FormSelectOption value="" label="All zones" />
      {zones.map((zone) => (
        <FormSelectOption key={zone.name} value={zone.name} label={zone.name} />
      ))}
    </FormSelect>
  );
}

function LiveMark() {
  const up = useStreamState();
  const isOffline = !useConnection().up;
  const label = isOffline
    ? "Offline: no connection to the server"
    : up
      ? "Live: changes appear immediately"
      : "Polling: data is refreshed every 10 seconds";
  return (
    <span className={up && !isOffline ? "live-mark live-mark-up" : "live-mark"} title={label}>
      <span aria-hidden="true" className="live-dot" />
      <span className="live-word">{isOffline ? "Offline" : up ? "Live" : "Polling"}</span>
    </span>
  );
}

const themes: { value: Theme; label: string }[] = [
  { value: "system", label: "Match OS theme" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function UserMenu() {
  const { me, logOut } = useSession();
  const { fail } = useNotifications();
  const [open, setOpen] = useState(false);
  const [theme, setTheme] = useState(storedTheme());
  const [keys, setKeys] = useState(shortcutsEnabled);
  const pick = (next: Theme) => {
    setTheme(next);
    chooseTheme(next);
  };
  return (
    <Dropdown
      isOpen={open}
      onOpenChange={setOpen}
      onSelect={() => setOpen(false)}
      popperProps={{ position: "right" }}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          isExpanded={open}
          onClick={() => setOpen((is) => !is)}
          icon={<UserIcon />}
          aria-label={`User menu of ${me.user}`}
          variant="plainText"
        >
          <span className="user-name">{me.user}</span>
        </MenuToggle>
      )}
    >
      <DropdownGroup label="Theme">
        <DropdownList>
          {themes.map((option) => (
            <DropdownItem
              key={option.value}
              isSelected={theme === option.value}
              onClick={() => pick(option.value)}
            >
              {option.label}
            </DropdownItem>
          ))}
        </DropdownList>
      </DropdownGroup>
      <Divider />
      <DropdownList>
        <DropdownItem onClick={showShortcuts}>Keyboard shortcuts</DropdownItem>
        <DropdownItem
          isSelected={keys}
          onClick={() => {
            setKeys(!keys);
            setShortcutsEnabled(!keys);
          }}
        >
          {keys ? "Single-key shortcuts: on" : "Single-key shortcuts: off"}
        </DropdownItem>
        <DropdownItem to="/docs" target="_blank" rel="noopener">
          API documentation
        </DropdownItem>
        <DropdownItem
          onClick={() => void logOut().catch((failure) => fail("Logout failed", failure))}
        >
          Log out
        </DropdownItem>
      </DropdownList>
    </Dropdown>
  );
}

export function HeaderToolbar() {
  return (
    <Toolbar isStatic>
      <ToolbarContent>
        <ToolbarGroup align={{ default: "alignEnd" }} className="tools">
          <ToolbarItem>
            <ZoneSelect />
          </ToolbarItem>
          <ToolbarItem>
            <LiveMark />
          </ToolbarItem>
          <ToolbarItem>
            <UserMenu />
          </ToolbarItem>
        </ToolbarGroup>
      </ToolbarContent>
    </Toolbar>
  );
}

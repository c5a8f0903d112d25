// Sections of common data (docs/concepts/drafts.md) as they are shown.
const names: Record<string, string> = {
  groups: "Group",
  calendars: "Calendar",
  windows: "Maintenance schedule",
  policy: "Maintenance policy",
  "accept-rules": "Accept rule",
  roles: "Role",
  channels: "Channel",
  repositories: "Repository",
  "config-channels": "Configuration channel",
  "group-config": "Configuration channels of group",
  "custom-keys": "Custom key",
};

// "Group web". The policy is one, whatever the server names it.
export function itemTitle(section: string, name: string): string {
  const shown = names[section] ?? section;
  return name === "" || section === "policy" ? shown : `${shown} ${name}`;
}

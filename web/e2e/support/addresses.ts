// Every address of the UI, every tab and the dialogs, each with a word that is there when it is drawn.
import type { Page } from "@playwright/test";
import type { FleetFixture } from "./lively";

export interface Address {
  name: string;
  path: string;
  shows: string | RegExp;
  open?: (page: Page) => Promise<void>; // what is pressed there first
}

function pressing(button: string | RegExp) {
  return (page: Page) => page.getByRole("button", { name: button }).first().click();
}

function fleet(fixture: FleetFixture): Address[] {
  return [
    { name: "overview", path: "/ui/overview", shows: "Needs attention" },
    { name: "search", path: "/ui/search?q=web*", shows: "web1" },
    { name: "search-nobody", path: "/ui/search?q=tag:none", shows: "No systems match this query" },
    { name: "search-wrong", path: "/ui/search?q=tag:web%20and", shows: /at \d+: / },
    { name: "system", path: `/ui/systems/${fixture.system}`, shows: "Machine ID" },
    { name: "system-facts", path: `/ui/systems/${fixture.system}?tab=facts`, shows: "os.name" },
    { name: "system-jobs", path: `/ui/systems/${fixture.system}?tab=jobs`, shows: "echo out" },
    { name: "system-history", path: `/ui/systems/${fixture.system}?tab=history`, shows: "Audit" },
    { name: "groups", path: "/ui/groups", shows: "Everything that is web" },
    { name: "onboarding", path: "/ui/onboarding", shows: "swarm-0" },
    { name: "onboarding-rejected", path: "/ui/onboarding?tab=rejected", shows: "swarm-1" },
    { name: "onboarding-banned", path: "/ui/onboarding?tab=deleted", shows: "swarm-2" },
    { name: "onboarding-rules", path: "/ui/onboarding?tab=rules", shows: "name matches cache*" },
    { name: "no-page", path: "/ui/nowhere", shows: "Page not found" },
  ];
}

function work(fixture: FleetFixture): Address[] {
  return [
    { name: "jobs", path: "/ui/jobs", shows: "echo out" },
    { name: "jobs-new", path: "/ui/jobs/new?q=tag:web&cmd=uptime", shows: "Online" },
    { name: "recurring", path: "/ui/jobs/recurring", shows: "nightly" },
    { name: "job", path: `/ui/jobs/${fixture.failed}`, shows: "Exit code 3" },
    { name: "job-systems", path: `/ui/jobs/${fixture.failed}?tab=systems`, shows: "web1" },
    { name: "job-details", path: `/ui/jobs/${fixture.failed}?tab=details`, shows: "Not before" },
    { name: "job-running", path: `/ui/jobs/${fixture.running}`, shows: /^Running/ },
    { name: "task", path: `/ui/jobs/${fixture.failed}/${fixture.number}`, shows: "Why" },
    {
      name: "task-live",
      path: `/ui/jobs/${fixture.running}/${fixture.number}`,
      shows: "Live output",
    },
    { name: "windows", path: "/ui/windows", shows: "Today" },
    { name: "windows-schedules", path: "/ui/windows/schedules", shows: "Assign to systems…" },
    { name: "windows-files", path: "/ui/windows/calendars", shows: "Uploaded" },
    { name: "windows-plans", path: "/ui/windows/plans", shows: /systems? waiting/ },
    { name: "windows-policy", path: "/ui/windows/policy", shows: "audit log" },
  ];
}

function cluster(fixture: FleetFixture): Address[] {
  return [
    { name: "topology", path: "/ui/topology", shows: "Slots by node" },
    { name: "topology-history", path: "/ui/topology/history", shows: "muster-3" },
    { name: "edits", path: "/ui/edits", shows: "Leader" },
    { name: "edits-history", path: "/ui/edits/history", shows: "for the night" },
    { name: "edits-revision", path: `/ui/edits/history/${fixture.revision}`, shows: "night-shift" },
    { name: "edits-servers", path: "/ui/edits/nodes", shows: "muster-3" },
    { name: "admin-users", path: "/ui/admin/users", shows: "Create user" },
    { name: "admin-roles", path: "/ui/admin/roles", shows: "night-shift" },
    { name: "admin-tokens", path: "/ui/admin/tokens", shows: "Create token" },
    { name: "admin-sessions", path: "/ui/admin/sessions", shows: "127.0.0.1" },
    { name: "admin-audit", path: "/ui/admin/audit", shows: "roles.create" },
    { name: "admin-cluster", path: "/ui/admin/settings", shows: "chat" },
    { name: "docs", path: "/docs", shows: "Muster" },
  ];
}

function dialogs(): Address[] {
  return [
    {
      name: "keyboard",
      path: "/ui/overview",
      shows: "Show keyboard shortcuts",
      open: async (page) => {
        await page.getByRole("heading", { name: "Overview" }).waitFor();
        await page.locator("body").press("?");
      },
    },
    {
      name: "copy-cli",
      path: "/ui/search?q=tag:web",
      shows: "Equivalent command",
      open: pressing("Copy as CLI"),
    },
    {
      name: "dialog-schedule",
      path: "/ui/windows",
      shows: "Source of windows",
      open: pressing("Create schedule"),
    },
    {
      name: "dialog-zone",
      path: "/ui/topology",
      shows: "Parent zone",
      open: pressing("Create zone"),
    },
    {
      name: "dialog-server",
      path: "/ui/topology",
      shows: "Create token",
      open: pressing("Add server"),
    },
    {
      name: "dialog-rule",
      path: "/ui/onboarding?tab=rules",
      shows: "Activation key",
      open: pressing("Create accept rule…"),
    },
    { name: "dialog-user", path: "/ui/admin/users", shows: "Email", open: pressing("Create user") },
    {
      name: "dialog-recurring",
      path: "/ui/jobs/recurring",
      shows: "Time zone",
      open: pressing("Create recurring schedule"),
    },
  ];
}

export function addresses(fixture: FleetFixture): Address[] {
  return [...fleet(fixture), ...work(fixture), ...cluster(fixture), ...dialogs()];
}

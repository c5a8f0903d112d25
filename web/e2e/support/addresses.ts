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
    { name: "search-nobody", path: "/ui/search?q=tag:none", shows: "Nobody meets this" },
    { name: "search-wrong", path: "/ui/search?q=tag:web%20and", shows: /at \d+: / },
    { name: "system", path: `/ui/systems/${fixture.system}`, shows: "Machine id" },
    { name: "system-facts", path: `/ui/systems/${fixture.system}?tab=facts`, shows: "os.name" },
    { name: "system-jobs", path: `/ui/systems/${fixture.system}?tab=jobs`, shows: "echo out" },
    { name: "system-history", path: `/ui/systems/${fixture.system}?tab=history`, shows: "Audit" },
    { name: "groups", path: "/ui/groups", shows: "Everything that is web" },
    { name: "onboarding", path: "/ui/onboarding", shows: "swarm-0" },
    { name: "onboarding-rejected", path: "/ui/onboarding?tab=rejected", shows: "swarm-1" },
    { name: "onboarding-banned", path: "/ui/onboarding?tab=deleted", shows: "swarm-2" },
    { name: "onboarding-rules", path: "/ui/onboarding?tab=rules", shows: "is called cache*" },
    { name: "no-page", path: "/ui/nowhere", shows: "There is no such page" },
  ];
}

function work(fixture: FleetFixture): Address[] {
  return [
    { name: "jobs", path: "/ui/jobs", shows: "echo out" },
    { name: "jobs-new", path: "/ui/jobs/new?q=tag:web&cmd=uptime", shows: "There now" },
    { name: "recurring", path: "/ui/jobs/recurring", shows: "nightly" },
    { name: "job", path: `/ui/jobs/${fixture.failed}`, shows: "exit code 3" },
    { name: "job-systems", path: `/ui/jobs/${fixture.failed}?tab=systems`, shows: "web1" },
    { name: "job-details", path: `/ui/jobs/${fixture.failed}?tab=details`, shows: "not before" },
    { name: "job-running", path: `/ui/jobs/${fixture.running}`, shows: /^running/ },
    { name: "task", path: `/ui/jobs/${fixture.failed}/${fixture.number}`, shows: "Why" },
    {
      name: "task-live",
      path: `/ui/jobs/${fixture.running}/${fixture.number}`,
      shows: "Live output",
    },
    { name: "windows", path: "/ui/windows", shows: "Today" },
    { name: "windows-schedules", path: "/ui/windows/schedules", shows: "Give to systems…" },
    { name: "windows-files", path: "/ui/windows/calendars", shows: "uploaded" },
    { name: "windows-plans", path: "/ui/windows/plans", shows: /systems? wait/ },
    { name: "windows-policy", path: "/ui/windows/policy", shows: "audit trail" },
  ];
}

function cluster(fixture: FleetFixture): Address[] {
  return [
    { name: "topology", path: "/ui/topology", shows: "slots, by node" },
    { name: "topology-history", path: "/ui/topology/history", shows: "muster-3" },
    { name: "edits", path: "/ui/edits", shows: "Leader" },
    { name: "edits-history", path: "/ui/edits/history", shows: "for the night" },
    { name: "edits-revision", path: `/ui/edits/history/${fixture.revision}`, shows: "night-shift" },
    { name: "edits-servers", path: "/ui/edits/nodes", shows: "muster-3" },
    { name: "admin-users", path: "/ui/admin/users", shows: "Add user" },
    { name: "admin-roles", path: "/ui/admin/roles", shows: "night-shift" },
    { name: "admin-tokens", path: "/ui/admin/tokens", shows: "Make a token" },
    { name: "admin-sessions", path: "/ui/admin/sessions", shows: "127.0.0.1" },
    { name: "admin-audit", path: "/ui/admin/audit", shows: "roles.add" },
    { name: "admin-cluster", path: "/ui/admin/settings", shows: "chat" },
    { name: "docs", path: "/docs", shows: "Muster" },
  ];
}

function dialogs(): Address[] {
  return [
    {
      name: "keyboard",
      path: "/ui/overview",
      shows: "this list",
      open: async (page) => {
        await page.getByRole("heading", { name: "Overview" }).waitFor();
        await page.locator("body").press("?");
      },
    },
    {
      name: "copy-cli",
      path: "/ui/search?q=tag:web",
      shows: "The same on the command line",
      open: pressing("Copy as CLI"),
    },
    {
      name: "dialog-schedule",
      path: "/ui/windows",
      shows: "Windows come from",
      open: pressing("Add schedule"),
    },
    { name: "dialog-zone", path: "/ui/topology", shows: "Lies in", open: pressing("New zone") },
    {
      name: "dialog-server",
      path: "/ui/topology",
      shows: "It joins",
      open: pressing("Add a server"),
    },
    {
      name: "dialog-rule",
      path: "/ui/onboarding?tab=rules",
      shows: "Activation key",
      open: pressing("Add a rule…"),
    },
    { name: "dialog-user", path: "/ui/admin/users", shows: "E-mail", open: pressing("Add user") },
    {
      name: "dialog-recurring",
      path: "/ui/jobs/recurring",
      shows: "New recurring run",
      open: pressing("New recurring run"),
    },
  ];
}

export function addresses(fixture: FleetFixture): Address[] {
  return [...fleet(fixture), ...work(fixture), ...cluster(fixture), ...dialogs()];
}

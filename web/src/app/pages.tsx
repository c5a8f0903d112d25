// The pages. Each is a folder with an index.tsx, and comes to the browser when it is first opened, or
// when the browser has nothing else to do.
import type { ComponentType } from "react";
import { PageSource } from "./pageSource";

export interface PageEntry {
  folder: string; // of src/pages
  path: string; // below /ui/; what comes after it is the page's own
  title: string;
  key?: string; // after g on the keyboard
  right?: string; // without it the page is not offered
  hidden?: boolean; // reached by links only
}

const table: PageEntry[] = [
  { folder: "overview", path: "overview", title: "Overview", key: "o" },
  { folder: "search", path: "search", title: "Search", key: "s", right: "fleet.read" },
  { folder: "system", path: "systems", title: "System", right: "fleet.read", hidden: true },
  { folder: "groups", path: "groups", title: "Groups", key: "g", right: "fleet.read" },
  { folder: "onboarding", path: "onboarding", title: "Onboarding", key: "n", right: "fleet.read" },
  { folder: "jobs", path: "jobs", title: "Jobs", key: "j", right: "jobs.read" },
  { folder: "windows", path: "windows", title: "Maintenance", key: "w", right: "fleet.read" },
  { folder: "topology", path: "topology", title: "Topology", key: "t", right: "topology.read" },
  { folder: "edits", path: "edits", title: "Edit sessions", key: "e" },
  { folder: "admin", path: "admin", title: "Admin", key: "a" },
];

const modules = import.meta.glob<{ default: ComponentType }>("../pages/*/index.tsx");

export interface LoadedPage extends PageEntry {
  source: PageSource;
}

export const pages: LoadedPage[] = table.flatMap((entry) => {
  const load = modules[`../pages/${entry.folder}/index.tsx`];
  return load ? [{ ...entry, source: new PageSource(load) }] : [];
});

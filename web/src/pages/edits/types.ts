import type { Change, Item, Revision } from "../../components/editTypes";

export interface Difference {
  section: string;
  name: string;
  what: "added" | "removed" | "changed";
  before: Item;
  after: Item;
}

export interface Differences {
  items: Difference[];
  from: number;
  to: number;
}

export interface FullRevision extends Revision {
  entries: Partial<Change>[];
  sections: { name: string; digest: string; items: { name: string; item: Item }[] }[];
}

export interface ServerRevision {
  node: string;
  zone: string;
  there: boolean;
  state: "current" | "behind" | "drifted" | "away" | "unknown";
  revision: number | null;
  digest: string;
  since: string;
  sections: string[];
}

// The answer of a revert: what was added to the draft, and what could not be.
export interface Reverted {
  edit: string;
  changes: Change[];
  skipped: { section: string; name: string; reason: string }[];
}

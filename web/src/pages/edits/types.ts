import type { Revision } from "../../components/editTypes";

export type Item = Record<string, unknown> | null;

export interface Change {
  number: number;
  operation: string;
  section: string;
  name: string;
  arguments: Record<string, unknown>;
  by: string;
  edit: string;
  at: string;
  before: Item;
  error: string | null;
}

export interface Draft {
  items: Change[];
  state: string;
  base: number;
}

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

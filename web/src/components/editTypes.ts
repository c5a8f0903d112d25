// Responses of the operations for edit sessions (docs/reference/edit_sessions.md).

export interface Edit {
  id: string;
  user: string;
  began: string;
  seen: string;
  expires: string;
  note: string;
  own: boolean;
}

export interface Leader {
  server: string;
  address: string;
  since: string;
  term: number;
}

export interface Revision {
  number: number;
  digest: string;
  made: string;
  made_by: string;
  note: string;
  kind: "applied" | "direct" | "partial" | "found" | "first";
  changes: number;
}

export interface EditsState {
  items: Edit[];
  leader: Leader | null;
  draft: {
    state: "none" | "open" | "applying" | "halted";
    changes: number;
    base: number;
    since: string | null;
    error: string | null;
  };
  single: boolean;
  apply: { allowed: boolean; reason: string | null };
  revision: Revision | null;
}

// An item of common data, as a revision holds it; null: the item does not exist.
export type Item = Record<string, unknown> | null;

// One change of the draft. `arguments` is null where the user may not read the section.
export interface Change {
  number: number;
  operation: string;
  section: string;
  name: string;
  arguments: Record<string, unknown> | null;
  by: string;
  edit: string;
  at: string;
  before: Item; // the item as it is live
  error: string | null;
}

export interface Draft {
  items: Change[];
  state: string;
  base: number;
}

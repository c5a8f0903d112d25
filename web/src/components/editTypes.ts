// What the operations of editing sessions and revisions answer with (docs/revisions.md).

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

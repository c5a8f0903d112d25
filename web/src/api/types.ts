// What the API answers with, as far as more than one page reads it (/openapi.json has the rest).

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface Me {
  user: string;
  must_change: boolean;
  by: "session" | "token";
  csrf: string;
  rights: Record<string, string[] | null>; // the zones; null: everywhere
}

export type SystemState = "new" | "onboarded" | "orphan" | "deleted";

export interface System {
  fingerprint: string;
  number: number | null;
  name: string;
  state: SystemState;
  stage: "pooled" | "rejected" | "accepted" | "deleted";
  zone: string;
  tags: string[];
  groups: string[];
  machine_id: string;
  origin: string;
  enrolled: string;
  version: number;
  href?: string;
  accepted?: string;
  accepted_by?: string;
  replaces?: number;
  node?: string | null;
  address?: string;
  last_seen?: string;
  reason?: string;
}

export interface SystemsPage extends Page<System> {
  total: number;
  notes?: string[];
  missing?: string[];
}

export interface Count {
  count: number;
  notes?: string[];
  missing?: string[];
}

export interface ZoneStats {
  name: string;
  nodes: number;
  systems: number;
  attached: number;
  slots_unplaced: number;
}

export interface NodeStats {
  name: string;
  zone: string;
  state: string;
  there: boolean;
  slots: number;
  attached: number;
  cpu: number | null;
  headroom: number | null;
  memory_bytes: number | null;
  attach_rate: number;
}

export interface Stats {
  at: string;
  cluster: string;
  systems: Record<"new" | "rejected" | "onboarded" | "orphan" | "deleted", number>;
  zones: ZoneStats[];
  nodes: NodeStats[];
}

export interface Zone {
  name: string;
  description: string;
  parent: string;
}

export type TaskState = "queued" | "picked_up" | "completed" | "failed" | "cancelled" | "expired";

// Systems of a job that wait for a window of their schedule; `opens` null: none is planned.
export interface WindowWait {
  schedule: string;
  systems: number;
  opens: string | null;
}

export interface Job {
  id: string;
  function: string;
  arguments: unknown;
  query: string;
  by: string;
  note: string;
  made: string;
  stage: string;
  phase: string;
  reason: string;
  targets: number;
  counts: Record<string, number> | null;
  changed: string;
  ended?: number;
  failed?: number;
  rate?: number | null;
  eta_seconds?: number | null;
  waiting?: WindowWait[]; // absent: nothing waits for a window
}

export interface Schedule {
  name: string;
  type: string;
  calendar: string;
  systems: number;
  open: boolean;
  opens: string | null;
  closes: string | null;
  next?: { opens: string; closes: string }[];
}

export interface Group {
  name: string;
  expression: string;
  description: string;
}

// Something that happened (docs/reference/events.md).
export interface FleetEvent {
  cursor: string;
  at: string;
  kind: string;
  id: string;
  job?: string;
  node?: string;
  zone?: string;
  by?: string;
  system?: number;
  data: Record<string, unknown>;
}

// A change of many systems (docs/concepts/onboarding.md); the short form when it was done at once.
export interface Operation {
  state: "finding" | "running" | "done" | "failed";
  changed: number;
  unchanged: number;
  failed: number;
  reasons: string[];
  id?: string;
  href?: string;
  what?: string;
  total?: number;
  done?: number;
  error?: string;
}

export interface Grant {
  role: string;
  zone: string; // "" is the whole cluster
}

export interface User {
  name: string;
  full_name: string;
  email: string;
  grants: Grant[];
  disabled: boolean;
  must_change: boolean;
  pam: boolean;
  kind: string;
  made: string | null;
  revision: number;
  password?: string;
}

export interface Role {
  name: string;
  rights: string[];
  about: string;
  built_in: boolean;
}

export interface ApiToken {
  id: string;
  user: string;
  purpose: string;
  grants: Grant[];
  rights: string[] | null;
  made: string;
  expires: string;
  last_used: string | null;
  good: boolean;
  secret?: string;
}

export interface LoginSession {
  id: string;
  user: string;
  began: string;
  seen: string;
  expires: string;
  origin: string;
}

export interface AuditEntry {
  id: string;
  at: string;
  who: string;
  what: string;
  origin: string;
  outcome: string;
  detail: string;
}

export interface ClusterRecord {
  id: string;
  authority: string;
  made: string;
  server: string;
  version: string;
  state: {
    ready?: boolean;
    stage?: string;
    engines?: Record<string, { state: string; since: string; detail?: string }>;
  };
}

export interface Webhook {
  name: string;
  url: string;
  kinds: string[];
  state: string;
  behind: number;
  delivered: number;
  failures: number;
  last_error: string | null;
  last_delivery: string | null;
}

// All rights that roles can be made of (docs/concepts/security.md).
export const allRights = [
  "fleet.read",
  "keys.decide",
  "systems.change",
  "jobs.read",
  "jobs.run",
  "windows.change",
  "windows.override",
  "groups.change",
  "schedules.change",
  "events.read",
  "webhooks.change",
  "topology.read",
  "topology.change",
  "people.read",
  "people.change",
  "audit.read",
  "common.edit",
  "common.apply",
];

export function grantText(grant: Grant): string {
  return grant.zone === "" ? grant.role : `${grant.role} in ${grant.zone}`;
}

export interface NodeRecord {
  name: string;
  number?: number;
  zone?: string;
  state: string; // "no node": a server without that role
  there: boolean;
  address: string;
  slots?: number;
  reason?: string;
  since?: string;
  wiped?: boolean;
  leaving?: boolean;
  systems_max?: number;
  attached?: number;
  roles?: string[];
  version?: string;
  started?: string;
}

export interface ZoneRecord {
  name: string;
  description: string;
  parent: string;
  disaster_timeout: number;
  tasks_max?: number;
  made: string;
  held: boolean;
  hold?: { missing: number; members: number; since: string };
  epoch: number;
  nodes: NodeRecord[];
}

export interface Topology {
  revision: number;
  driver: string;
  zones: ZoneRecord[];
}

// Runs of slots: how many, whose (a place in `nodes`, -1: nobody's), since which epoch.
export interface SlotRuns {
  zone: string;
  epoch: number;
  nodes: string[];
  runs: [number, number, number][];
}

export interface Token {
  token: string;
  join: string;
  into: string;
  expires: string;
}

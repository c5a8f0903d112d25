import type { Job, Page, TaskState } from "../../api/types";

export const taskStates: TaskState[] = [
  "failed",
  "picked_up",
  "queued",
  "completed",
  "cancelled",
  "expired",
];

export interface JobOptions {
  at: string | null;
  expires_after: string;
  timeout: string;
  may_run_again: boolean;
  windows: "ignore" | "respect" | "start" | "override";
  parents: string[];
  batch: string | null;
  batch_wait: string;
  rate: number | null;
  canary: string | null;
  canary_wait: string;
  max_failures: string | null;
  retries: number;
  retry_wait: string;
  on_return: boolean;
  priority: number;
  weight: number;
}

export interface FullJob extends Job {
  kill_running: boolean;
  version: number;
  replaces: string | null;
  replaced_by: string[];
  options: JobOptions;
}

export type Output = string | Record<string, unknown> | unknown[] | number | boolean | null;

export interface Task {
  system: number;
  name: string | null;
  state: TaskState;
  attempt: number | null;
  picked_up?: string | null;
  ended?: string | null;
  exit_code?: number | null;
  reason?: string;
  node?: string;
  digest?: string | null;
  payload_size?: number;
  truncated?: boolean;
  output?: Output;
  output_pending?: boolean;
}

export interface TasksPage extends Page<Task> {
  total: number;
}

// Tasks that ended alike: same state, exit code and output.
export interface Outcome {
  state: TaskState;
  exit_code: number;
  reason: string;
  count: number;
  digest: string | null;
  payload_size: number;
  output?: Output;
  examples: { system: number; name: string | null }[];
}

export interface Outcomes {
  items: Outcome[];
  total: number;
  beyond: number;
}

export interface Why {
  sentence: string;
  cause: string;
  state: TaskState;
  facts: Record<string, unknown>;
}

export interface Forecast {
  windows: { opens: string; closes: string; schedule: string; finished: number }[];
  rest: { schedule: string; systems: number; why: string }[];
  without_schedule: number;
  expected_seconds: number;
}

export interface Preview {
  targets: number;
  present: number;
  away: number;
  canaries: number;
  batch: number | null;
  forecast: Forecast | null;
}

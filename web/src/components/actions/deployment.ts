// What applying configuration comes to, in words and as a command.
import { commandLine } from "../../api/cli";
import { plural } from "../format";

export interface DeploymentForm {
  query: string;
  dryRun: boolean;
  windows: string; // respect, ignore, override
  note: string;
}

// As the API takes it; windows are respected if nothing is said.
export function deploymentBody({ query, dryRun, windows, note }: DeploymentForm) {
  return {
    query,
    dry_run: dryRun,
    ...(windows === "respect" ? {} : { windows }),
    ...(note.trim() === "" ? {} : { note: note.trim() }),
  };
}

export function deploymentCommand(wish: DeploymentForm): string {
  const body = deploymentBody(wish);
  return commandLine(
    "muster",
    "apply",
    body.query,
    ...(body.dry_run ? ["--dry-run"] : []),
    ...(body.windows === undefined ? [] : ["--window", body.windows]),
    ...(body.note === undefined ? [] : ["--note", body.note]),
  );
}

export interface Part {
  targets: number;
  paths: string[];
}

export interface Deployment {
  targets: number;
  without_files: number;
  left_out?: number; // have files by a group's expression only
  parts: Part[];
}

export interface Deployed {
  job: string;
  jobs: { id: string; href: string; targets: number; files: number }[];
  targets: number;
  without_files: number;
}

const pathsShown = 4;

export function partText({ targets, paths }: Part): string {
  const more = paths.length - pathsShown;
  const list = paths.slice(0, pathsShown).join(", ");
  return `${plural(targets, "system")}: ${list}${more > 0 ? ` and ${more} more` : ""}`;
}

export function deployedText({ jobs, targets, without_files: without }: Deployed): string {
  const summary = `${plural(targets, "system")} in ${plural(jobs.length, "job")}`;
  return without > 0 ? `${summary}; ${plural(without, "system")} without files skipped` : summary;
}

// What applying configuration comes to, in words.
import { plural } from "../format";

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

export function partWords({ targets, paths }: Part): string {
  const more = paths.length - pathsShown;
  const told = paths.slice(0, pathsShown).join(", ");
  return `${plural(targets, "system")}: ${told}${more > 0 ? ` and ${more} more` : ""}`;
}

export function deployedWords({ jobs, targets, without_files: without }: Deployed): string {
  const told = `${plural(targets, "system")} in ${plural(jobs.length, "job")}`;
  return without > 0 ? `${told}; ${plural(without, "system")} without files left out` : told;
}

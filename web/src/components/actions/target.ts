// Whom an action is about: everybody that an expression means, or some that were picked.
import type { System } from "../../api/types";
import { plural } from "../format";

export interface Target {
  query: string; // as an expression, whichever it is
  fingerprints?: string[]; // of those picked; exact, whatever happens meanwhile
  names?: string[]; // of those picked
  count: number;
}

const namesShown = 8;

// Those picked, by name as far as there is room.
export function namesOf(names: string[]): string {
  const more = names.length - namesShown;
  const list = names.slice(0, namesShown).join(", ");
  return more > 0 ? `${list} and ${more} more` : list;
}

// A count that is not known yet is not a number.
export function targetLabel(target: Target): string {
  return Number.isNaN(target.count) ? "all matching systems" : plural(target.count, "system");
}

export const selectedMax = 200; // an expression has 256 conditions

export function queryTarget(query: string, count: number): Target {
  return { query: query.trim() === "" ? "*" : query, count };
}

export function selectedTarget(systems: System[]): Target {
  return {
    query: systems
      .map((system) =>
        system.number === null ? `fp:${system.fingerprint}` : `number:${system.number}`,
      )
      .join(" or "),
    fingerprints: systems.map((system) => system.fingerprint),
    names: systems.map((system) => system.name),
    count: systems.length,
  };
}

// What the API's changes of many systems take.
export function bodyOf(target: Target): { query: string } | { fingerprints: string[] } {
  return target.fingerprints ? { fingerprints: target.fingerprints } : { query: target.query };
}

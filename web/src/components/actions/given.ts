// Which schedule systems shall have: nothing is chosen until somebody chooses.
import { plural } from "../format";

export type Choice = { schedule: string } | "none" | "unsaid";

// As a value of a list: no name of a schedule can be taken for another choice.
const named = "schedule ";

export function itemOf(choice: Choice): string {
  return typeof choice === "string" ? choice : named + choice.schedule;
}

export function choiceOf(value: string): Choice {
  if (value.startsWith(named)) return { schedule: value.slice(named.length) };
  return value === "none" ? "none" : "unsaid";
}

export function givenWords(choice: Choice, systems: number) {
  return {
    title:
      typeof choice === "string"
        ? "Maintenance schedule taken away"
        : `Given the schedule ${choice.schedule}`,
    body: plural(systems, "system"),
  };
}

// Which schedule systems shall have: nothing is chosen until somebody chooses.
import { plural } from "../format";

export type ScheduleChoice = { schedule: string } | "none" | "unsaid";

// As a value of a list: no name of a schedule can be taken for another choice.
const namePrefix = "schedule ";

export function itemOf(choice: ScheduleChoice): string {
  return typeof choice === "string" ? choice : namePrefix + choice.schedule;
}

export function choiceOf(value: string): ScheduleChoice {
  if (value.startsWith(namePrefix)) return { schedule: value.slice(namePrefix.length) };
  return value === "none" ? "none" : "unsaid";
}

export function scheduleChoiceText(choice: ScheduleChoice, systems: number) {
  return {
    title:
      typeof choice === "string"
        ? "Maintenance schedule removed"
        : `Schedule ${choice.schedule} assigned`,
    body: plural(systems, "system"),
  };
}

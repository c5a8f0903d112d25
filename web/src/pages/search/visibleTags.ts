// Tags of systems that were on the screen: the API has no list of all, and these are what one looks
// for next.
import type { SystemsPage } from "../../api/types";

const keptMost = 500;

export function visibleTags(pages: (Pick<SystemsPage, "items"> | undefined)[]): string[] {
  const tags = new Set<string>();
  for (const page of pages)
    for (const system of page?.items ?? [])
      for (const tag of system.tags) if (tags.size < keptMost) tags.add(tag);
  return [...tags].sort((a, b) => a.localeCompare(b));
}

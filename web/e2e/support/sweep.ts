// Every address of the UI on one size of screen, on a cluster in which each has something to show.
import type { Page } from "@playwright/test";
import { type Address, addresses } from "./addresses";
import type { Cluster } from "./cluster";
import { fill } from "./lively";
import { enter, expect, expectAccessible, expectFits, inColours, takePicture, test } from "./test";

export type Size = "1280" | "390";

async function look(page: Page, url: string, address: Address, size: Size) {
  await page.goto(`${url}${address.path}`);
  await address.open?.(page);
  await expect.soft(page.getByText(address.shows).first(), address.name).toBeVisible();
  await expectFits(page, `${address.name}-${size}`);
  await inColours(page, "light");
  await takePicture(page, `${address.name}-${size}-light`);
  await expectAccessible(page, `${address.name}-${size}-light`);
  // In other colours it is the same page, and contrast does not depend on the width.
  if (size === "390") return;
  await inColours(page, "dark");
  await takePicture(page, `${address.name}-${size}-dark`);
  await expectAccessible(page, `${address.name}-${size}-dark`, ["color-contrast"]);
}

// For a cluster of its own. `url` is the server that the pages come from.
export async function sweep(page: Page, cluster: Cluster, url: string, size: Size): Promise<void> {
  const fixture = await fill(cluster);
  await enter(page, cluster, "/overview", url);
  for (const address of addresses(fixture))
    await test.step(address.name, () => look(page, url, address, size));
}

import type { Page } from "@playwright/test";
import { Cluster } from "./support/cluster";
import { withOwn } from "./support/own";
import { eventually } from "./support/server";
import { enter, expect, expectSound } from "./support/test";

const test = withOwn(
  () => new Cluster(),
  (cluster) => cluster.openAll(),
);

test.describe.configure({ mode: "serial" });

// So many that no node is without any.
const agents = Array.from({ length: 8 }, (_, n) => `web${n + 1}`);

interface Stats {
  nodes: { name: string; attached: number; slots: number }[];
}

interface Found {
  items: { name: string }[];
}

function cardOf(page: Page, node: string) {
  return page.locator(".node-card").filter({ has: page.getByText(node, { exact: true }) });
}

// How many systems a node has, by its card.
function systemsOf(page: Page, node: string) {
  return cardOf(page, node).locator('a[href^="/ui/search?q=node"]');
}

async function choose(page: Page, node: string, action: string) {
  await page.getByRole("button", { name: `Actions of ${node}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("zones, nodes and slots are a picture", async ({ page, server }) => {
  test.slow();
  await server.fleet(agents);
  await enter(page, server, "/topology");
  const nodes = page.getByRole("list", { name: "Nodes of default" });
  for (const name of ["muster-1", "muster-2", "muster-3"])
    await expect(nodes.getByText(name, { exact: true })).toBeVisible();
  await expect(page.getByRole("img", { name: /Slots of default: .*muster-3/ })).toBeVisible();
  await expect(page.getByText("8 systems")).toBeVisible();
  await expectSound(page, "topology");
});

test("a node is drained, and serves again", async ({ page, server }) => {
  await enter(page, server, "/topology");
  const card = cardOf(page, "muster-2");
  await choose(page, "muster-2", "Drain node…");
  await page.getByRole("dialog").getByRole("button", { name: "Drain node" }).click();
  await expect(card.getByText("drained")).toBeVisible();
  await expect(page.getByRole("log", { name: "Moves in default" })).toContainText("muster-2 →");
  await expect(systemsOf(page, "muster-2")).toHaveText("0");
  await choose(page, "muster-2", "Undrain node…");
  await page.getByRole("dialog").getByRole("button", { name: "Undrain node" }).click();
  await expect(card.getByText("Serving")).toBeVisible();
  await eventually("it has slots again", async () => {
    const stats = await server.get<Stats>("/api/v1/stats");
    return stats.nodes.every((node) => node.slots > 0);
  });
});

test("a server joins by a token, is staged, accepted, and removed; a zone is made and removed", async ({
  page,
  server,
}) => {
  test.slow();
  await enter(page, server, "/topology");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Create zone" }).click();
  await dialog.getByLabel("Name").fill("lab");
  await dialog.getByLabel("Description").fill("to try things");
  await dialog.getByRole("button", { name: "Create zone" }).click();
  const lab = page.getByRole("region", { name: "Zone lab" });
  await expect(lab.getByText("No nodes in this zone")).toBeVisible();

  await page.getByRole("button", { name: "Add server" }).click();
  await dialog.getByLabel("Join").selectOption("Pool: accept later");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const command = await dialog.getByLabel("Command").inputValue();
  await dialog.getByRole("button", { name: "Done" }).click();
  await server.serve("muster-4", / --join (\S+)/.exec(command)?.[1] ?? "");
  const pool = page.getByRole("region", { name: "Not in a zone" });
  await expect(pool.getByText("Pooled", { exact: true })).toBeVisible();
  await expectSound(page, "topology-pool");

  await choose(page, "muster-4", "Stage node…");
  await dialog.getByRole("button", { name: "Stage node" }).click();
  await expect(pool.getByText("Staged", { exact: true })).toBeVisible();
  await choose(page, "muster-4", "Accept into zone…");
  await dialog.getByLabel("Zone for muster-4").selectOption("default");
  await dialog.getByRole("button", { name: "Accept into zone" }).click();
  await expect(page.getByRole("img", { name: /Slots of default: .*muster-4/ })).toBeVisible();

  await choose(page, "muster-4", "Drain node…");
  await dialog.getByRole("button", { name: "Drain node" }).click();
  await expect(cardOf(page, "muster-4").getByText("drained")).toBeVisible();
  await choose(page, "muster-4", "Remove node…");
  await expect(dialog.getByRole("button", { name: "Remove node" })).toBeDisabled();
  await dialog.getByLabel(/Type/).fill("muster-4");
  await dialog.getByRole("button", { name: "Remove node" }).click();
  await expect(page.getByText("Node muster-4 removed")).toBeVisible();
  const nodes = page.getByRole("list", { name: "Nodes of default" });
  await expect(nodes.getByText("muster-4", { exact: true })).toHaveCount(0);
  await lab.getByRole("button", { name: "Edit zone…" }).click();
  await dialog.getByRole("button", { name: "Delete zone" }).click();
  await expect(lab).toHaveCount(0);
});

test("a node that is killed is given up, and its systems are seen to move", async ({
  page,
  server,
}) => {
  test.setTimeout(180_000);
  await enter(page, server, "/topology");
  await page.getByRole("button", { name: "Edit zone…" }).click();
  await page.getByLabel("Node timeout (seconds)").fill("10");
  await page.getByRole("dialog").getByRole("button", { name: "Save zone" }).click();
  await expect(page.getByText("Node timeout 10 s")).toBeVisible();
  const attached = async (node: string) => Number(await systemsOf(page, node).innerText());
  await expect
    .poll(
      async () =>
        (await attached("muster-1")) + (await attached("muster-2")) + (await attached("muster-3")),
    )
    .toBe(agents.length);
  const before = await attached("muster-3");
  expect(before).toBeGreaterThan(0);
  const [moving] = (await server.get<Found>("/api/v1/systems?q=node:muster-3&limit=1")).items;

  server.kill("muster-3");
  const card = cardOf(page, "muster-3");
  await expect(card.getByText("Offline")).toBeVisible();
  await expect(card.getByText(/Suspect|Faulty/).first()).toBeVisible();
  await expect(card.getByText("Faulty")).toBeVisible({ timeout: 45_000 });
  await expect(page.getByRole("log", { name: "Moves in default" })).toContainText("muster-3 →");
  await expect
    .poll(async () => (await attached("muster-1")) + (await attached("muster-2")))
    .toBe(agents.length);
  await expect(systemsOf(page, "muster-3")).toHaveText("0");
  await expectSound(page, "topology-faulty");

  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByText("Node faulty").first()).toBeVisible();
  await page.goto(`${server.url}/ui/systems/${moving?.name}`);
  await expect(page.getByText(/on node muster-[12]/)).toBeVisible();
  // Nodes write down who came and went a while later, and the page asks again every half minute.
  await expect(
    page.getByText(/(Moved from muster-3|[Aa]ttached) to muster-[12]/).first(),
  ).toBeVisible({ timeout: 60_000 });
  await expectSound(page, "system-moved");
});

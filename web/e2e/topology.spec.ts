import { Cluster } from "./support/cluster";
import { withOwn } from "./support/own";
import { eventually } from "./support/server";
import { enter, expect, expectAccessible, expectSound } from "./support/test";

const test = withOwn(
  () => new Cluster(),
  (cluster) => cluster.openAll(),
);

test.describe.configure({ mode: "serial" });

const agents = ["web1", "web2", "web3", "web4"];

interface Told {
  systems: { onboarded: number };
  nodes: { name: string; attached: number; slots: number }[];
}

test("zones, nodes and slots are a picture", async ({ page, server }) => {
  test.slow();
  await server.fleet(agents);
  await enter(page, server, "/topology");
  const nodes = page.getByRole("list", { name: "Nodes of default" });
  for (const name of ["muster-1", "muster-2", "muster-3"])
    await expect(nodes.getByText(name, { exact: true })).toBeVisible();
  await expect(page.getByRole("img", { name: /Slots of default: .*muster-3/ })).toBeVisible();
  await expect(page.getByText("4 systems")).toBeVisible();
  await expectSound(page, "topology");
});

test("a node is drained, and serves again", async ({ page, server }) => {
  await enter(page, server, "/topology");
  const card = page.getByRole("listitem").filter({ hasText: "muster-2" }).first();
  await page.getByRole("button", { name: "Actions of muster-2" }).click();
  await page.getByRole("menuitem", { name: "Drain…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click();
  await expect(card.getByText("drained")).toBeVisible();
  await expect(page.getByRole("log", { name: "Moves in default" })).toContainText("muster-2 →");
  await page.getByRole("button", { name: "Actions of muster-2" }).click();
  await page.getByRole("menuitem", { name: "Let it serve again…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Let it serve again" }).click();
  await expect(card.getByText("serving")).toBeVisible();
  await eventually("it has slots again", async () => {
    const told = await server.get<Told>("/api/v1/stats");
    return told.nodes.every((each) => each.slots > 0);
  });
});

test("a node that is killed is given up, and its systems are seen to move", async ({
  page,
  server,
}) => {
  test.setTimeout(120_000);
  await enter(page, server, "/topology");
  await page.getByRole("button", { name: "Change zone…" }).click();
  await page.getByLabel("A missing node is faulty after (seconds)").fill("10");
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await expect(page.getByText("a node is faulty after 10 s")).toBeVisible();

  server.kill("muster-3");
  const card = page.getByRole("listitem").filter({ hasText: "muster-3" }).first();
  await expect(card.getByText("not there")).toBeVisible();
  await expect(card.getByText(/suspect|faulty/).first()).toBeVisible();
  await expect(card.getByText("faulty")).toBeVisible({ timeout: 45_000 });
  await expect(page.getByRole("log", { name: "Moves in default" })).toContainText("muster-3 →");
  await eventually("all systems are attached to the others", async () => {
    const told = await server.get<Told>("/api/v1/stats");
    const left = told.nodes.filter((each) => each.name !== "muster-3");
    return left.reduce((sum, each) => sum + each.attached, 0) === agents.length;
  });
  await expectSound(page, "topology-faulty");

  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByText("node faulty").first()).toBeVisible();
  await expectAccessible(page);
});

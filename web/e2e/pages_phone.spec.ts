// Every address of the UI on a phone, from a server that the cluster was not begun on.
import { Cluster } from "./support/cluster";
import { withOwn } from "./support/own";
import { sweep } from "./support/sweep";

const test = withOwn(
  () => new Cluster(),
  (cluster) => cluster.openWithAgents(),
);

test("every address is sound on a phone, from another server", async ({
  page,
  server,
  watched,
}) => {
  test.setTimeout(500_000);
  watched.allow(/status of 400/); // the expression that is wrong
  await page.setViewportSize({ width: 390, height: 844 });
  await sweep(page, server, server.urlOf("muster-2"), "390");
});

// Every address of the UI on a wide screen, in light and in dark colours.
import { Cluster } from "./support/cluster";
import { withOwn } from "./support/own";
import { sweep } from "./support/sweep";

const test = withOwn(
  () => new Cluster(),
  (cluster) => cluster.openWithAgents(),
);

test("every address is sound on a wide screen", async ({ page, server, watched }) => {
  test.setTimeout(500_000);
  watched.allow(/status of 400/); // the expression that is wrong
  await sweep(page, server, server.url, "1280");
});

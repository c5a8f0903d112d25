// All systems by state, in one bar.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import type { Stats } from "../../api/types";
import { count } from "../../components/format";
import { ShareBar } from "../../components/ShareBar";

export function Systems({ stats }: { stats: Stats }) {
  const { onboarded, orphan } = stats.systems;
  const pooled = stats.systems.new;
  return (
    <Card>
      <CardTitle component="h2">
        <Link to="/search">{count(onboarded + orphan)} systems</Link>
      </CardTitle>
      <CardBody>
        <ShareBar
          label="Systems by state"
          shares={[
            { label: "onboarded", value: onboarded, kind: "good" },
            { label: "orphan", value: orphan, kind: "warn" },
            { label: "new, waiting", value: pooled, kind: "info" },
          ]}
        />
      </CardBody>
    </Card>
  );
}

// All systems by state, in one bar.
import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import { Link } from "react-router-dom";
import type { Stats } from "../../api/types";
import { plural } from "../../components/format";
import { type Share, ShareBar } from "../../components/ShareBar";

// Within a zone the server tells who is attached; who waits is in no zone yet.
function sharesOf(stats: Stats, zone: string): Share[] {
  const selected = stats.zones.find((zoneStats) => zoneStats.name === zone);
  const onboarded = selected
    ? Math.min(selected.attached, selected.systems)
    : stats.systems.onboarded;
  const orphan = selected ? selected.systems - onboarded : stats.systems.orphan;
  const shares: Share[] = [
    { label: "Onboarded", value: onboarded, kind: "good", to: "/search?q=state%3Aonboarded" },
    { label: "Orphan", value: orphan, kind: "warn", to: "/search?q=state%3Aorphan" },
  ];
  if (!selected)
    shares.push({ label: "New", value: stats.systems.new, kind: "info", to: "/onboarding" });
  return shares;
}

export function Systems({ stats, zone }: { stats: Stats; zone: string }) {
  const shares = sharesOf(stats, zone);
  const accepted = shares.slice(0, 2).reduce((sum, share) => sum + share.value, 0);
  return (
    <Card>
      <CardTitle component="h2">
        <Link to="/search" className="big-number">
          {plural(accepted, "system")}
        </Link>
        {zone !== "" && <span className="quiet"> in zone {zone}</span>}
      </CardTitle>
      <CardBody>
        <ShareBar label="Systems by state" shares={shares} />
      </CardBody>
    </Card>
  );
}

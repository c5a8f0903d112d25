// The onboarding pool: who waits, what they say of themselves, and by which rules others are taken in.
import { Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useSearchParams } from "react-router-dom";
import { count } from "../../components/format";
import { PageFrame } from "../../components/PageFrame";
import { useStats } from "../../components/useStats";
import { Pool } from "./Pool";
import { Rules } from "./Rules";
import "./onboarding.css";

function titled(title: string, number: number | undefined): string {
  return number ? `${title} (${count(number)})` : title;
}

export default function Onboarding() {
  const [params, setParams] = useSearchParams();
  const stats = useStats();
  const tab = params.get("tab") ?? "pooled";
  return (
    <PageFrame
      title="Onboarding"
      subtitle="New systems wait here until somebody, or a rule, takes them into a zone."
      fill
    >
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => setParams({ tab: String(key) }, { replace: true })}
        aria-label="Stages of onboarding"
      >
        <Tab
          eventKey="pooled"
          title={<TabTitleText>{titled("Waiting", stats.data?.systems.new)}</TabTitleText>}
        />
        <Tab
          eventKey="rejected"
          title={<TabTitleText>{titled("Rejected", stats.data?.systems.rejected)}</TabTitleText>}
        />
        <Tab
          eventKey="deleted"
          title={<TabTitleText>{titled("Banned", stats.data?.systems.deleted)}</TabTitleText>}
        />
        <Tab eventKey="rules" title={<TabTitleText>Rules and tokens</TabTitleText>} />
      </Tabs>
      {tab === "rules" ? (
        <Rules />
      ) : (
        <Pool key={tab} stage={tab === "rejected" || tab === "deleted" ? tab : "pooled"} />
      )}
    </PageFrame>
  );
}

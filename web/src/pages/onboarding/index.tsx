// The onboarding pool: systems that wait for acceptance, and the rules that accept systems.
import { Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useSearchParams } from "react-router-dom";
import { count } from "../../components/format";
import { PageFrame } from "../../components/PageFrame";
import { useStats } from "../../components/useStats";
import { Pool } from "./Pool";
import { Rules } from "./Rules";
import "./onboarding.css";

const stages = [
  { stage: "pooled", title: "Waiting", counted: "new" },
  { stage: "rejected", title: "Rejected", counted: "rejected" },
  { stage: "deleted", title: "Banned", counted: "deleted" },
] as const;

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
      subtitle="New systems wait here until a user or an accept rule accepts them into a zone."
      fill
    >
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => setParams({ tab: String(key) }, { replace: true })}
        aria-label="Onboarding views"
        mountOnEnter
        unmountOnExit
      >
        {[
          ...stages.map((stage) => (
            <Tab
              key={stage.stage}
              eventKey={stage.stage}
              title={
                <TabTitleText>
                  {titled(stage.title, stats.data?.systems[stage.counted])}
                </TabTitleText>
              }
            >
              <Pool stage={stage.stage} />
            </Tab>
          )),
          <Tab key="rules" eventKey="rules" title={<TabTitleText>Rules and tokens</TabTitleText>}>
            <Rules />
          </Tab>,
        ]}
      </Tabs>
    </PageFrame>
  );
}

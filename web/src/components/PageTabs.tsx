// Parts of a page, each with an address of its own.
import { Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { useNavigate } from "react-router-dom";
import "./PageTabs.css";

export interface PageTab {
  key: string;
  title: string;
  show: () => ReactNode; // called for the one that is open
}

interface Props {
  label: string;
  base: string; // "/windows": a tab is at "/windows/KEY"
  open: string;
  tabs: PageTab[];
}

export function PageTabs({ label, base, open, tabs }: Props) {
  const go = useNavigate();
  return (
    <Tabs
      activeKey={open}
      onSelect={(_, key) => go(`${base}/${key}`)}
      aria-label={label}
      className="page-tabs"
    >
      {tabs.map((tab) => (
        <Tab key={tab.key} eventKey={tab.key} title={<TabTitleText>{tab.title}</TabTitleText>}>
          {tab.key === open && <div className="page-tab">{tab.show()}</div>}
        </Tab>
      ))}
    </Tabs>
  );
}

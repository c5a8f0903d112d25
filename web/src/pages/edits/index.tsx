// Edit sessions, the draft, and the revisions that came of them.
import { Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { Route, Routes, useNavigate, useParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { CopyCli } from "../../components/CopyCli";
import { PageFrame } from "../../components/PageFrame";
import { Holders } from "./Holders";
import { RevisionPage } from "./RevisionPage";
import { Revisions } from "./Revisions";
import { Sessions } from "./Sessions";
import "./edits.css";

export default function EditPages() {
  return (
    <Routes>
      <Route index element={<EditsPage />} />
      <Route path=":tab" element={<EditsPage />} />
      <Route path="history/:number" element={<RevisionPage />} />
    </Routes>
  );
}

function EditsPage() {
  const { tab = "now" } = useParams();
  const go = useNavigate();
  return (
    <PageFrame
      title="Edit sessions"
      subtitle="Groups, windows, rules and roles are the same everywhere, and are changed together."
      actions={<CopyCli command={commandLine("muster", "edit")} />}
    >
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => go(`/edits/${key}`)}
        aria-label="About edit sessions"
        className="edits-tabs"
      >
        <Tab eventKey="now" title={<TabTitleText>Draft</TabTitleText>} />
        <Tab eventKey="history" title={<TabTitleText>History</TabTitleText>} />
        <Tab eventKey="nodes" title={<TabTitleText>Servers</TabTitleText>} />
      </Tabs>
      {tab === "now" && <Sessions />}
      {tab === "history" && <Revisions />}
      {tab === "nodes" && <Holders />}
    </PageFrame>
  );
}

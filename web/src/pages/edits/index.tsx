// Edit sessions, the draft, and the published revisions.
import { Route, Routes, useParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { CopyCli } from "../../components/CopyCli";
import { PageFrame } from "../../components/PageFrame";
import { PageTabs } from "../../components/PageTabs";
import { RevisionPage } from "./RevisionPage";
import { Revisions } from "./Revisions";
import { ServerRevisions } from "./ServerRevisions";
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
  return (
    <PageFrame
      title="Edit sessions"
      subtitle="Collect changes of common data in a draft and apply them together."
      actions={<CopyCli command={commandLine("muster", "revisions", "edit")} />}
    >
      <PageTabs
        label="Edit session views"
        base="/edits"
        open={tab}
        tabs={[
          { key: "now", title: "Draft", show: () => <Sessions /> },
          { key: "history", title: "History", show: () => <Revisions /> },
          { key: "nodes", title: "Servers", show: () => <ServerRevisions /> },
        ]}
      />
    </PageFrame>
  );
}

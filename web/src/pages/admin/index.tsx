// Users, roles, tokens, login sessions, the audit log, and the cluster.
import { Button } from "@patternfly/react-core";
import ExternalLinkAltIcon from "@patternfly/react-icons/dist/esm/icons/external-link-alt-icon";
import type { ComponentType } from "react";
import { Navigate, Route, Routes, useParams } from "react-router-dom";
import { useSession } from "../../app/session";
import { PageFrame } from "../../components/PageFrame";
import { PageTabs } from "../../components/PageTabs";
import { Audit } from "./Audit";
import { LoginSessions } from "./LoginSessions";
import { Roles } from "./Roles";
import { Settings } from "./Settings";
import { Tokens } from "./Tokens";
import { Users } from "./Users";
import "./admin.css";

interface AdminTab {
  key: string;
  title: string;
  right?: string;
  Content: ComponentType;
}

const tabs: AdminTab[] = [
  { key: "users", title: "Users", right: "people.read", Content: Users },
  { key: "roles", title: "Roles", right: "people.read", Content: Roles },
  { key: "tokens", title: "Tokens", Content: Tokens },
  { key: "sessions", title: "Sessions", Content: LoginSessions },
  { key: "audit", title: "Audit", right: "audit.read", Content: Audit },
  { key: "settings", title: "Cluster", right: "topology.read", Content: Settings },
];

export default function Admin() {
  const { may } = useSession();
  const first = tabs.find((tab) => !tab.right || may(tab.right))?.key ?? "tokens";
  return (
    <Routes>
      <Route index element={<Navigate to={first} replace />} />
      <Route path=":tab" element={<AdminPage />} />
    </Routes>
  );
}

function AdminPage() {
  const { tab = "" } = useParams();
  const { may } = useSession();
  const allowed = tabs.filter((entry) => !entry.right || may(entry.right));
  if (!allowed.some((entry) => entry.key === tab))
    return <Navigate to={`/admin/${allowed[0]?.key ?? "tokens"}`} replace />;
  return (
    <PageFrame
      title="Admin"
      actions={
        <Button
          variant="link"
          component="a"
          href="/docs"
          target="_blank"
          rel="noopener"
          icon={<ExternalLinkAltIcon />}
          iconPosition="end"
        >
          API documentation
        </Button>
      }
    >
      <PageTabs
        label="Administration views"
        base="/admin"
        open={tab}
        tabs={allowed.map(({ key, title, Content }) => ({ key, title, show: () => <Content /> }))}
      />
    </PageFrame>
  );
}

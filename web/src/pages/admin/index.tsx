// Users, roles, tokens, sessions, the audit trail, and the cluster's own settings.
import { Button, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import ExternalLinkAltIcon from "@patternfly/react-icons/dist/esm/icons/external-link-alt-icon";
import type { ComponentType } from "react";
import { Navigate, Route, Routes, useNavigate, useParams } from "react-router-dom";
import { useSession } from "../../app/session";
import { PageFrame } from "../../components/PageFrame";
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
  const first = tabs.find((each) => !each.right || may(each.right))?.key ?? "tokens";
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
  const go = useNavigate();
  const offered = tabs.filter((each) => !each.right || may(each.right));
  const shown = offered.find((each) => each.key === tab);
  if (!shown) return <Navigate to={`/admin/${offered[0]?.key ?? "tokens"}`} replace />;
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
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => go(`/admin/${key}`)}
        aria-label="Administration"
        className="admin-tabs"
      >
        {offered.map((each) => (
          <Tab
            key={each.key}
            eventKey={each.key}
            title={<TabTitleText>{each.title}</TabTitleText>}
          />
        ))}
      </Tabs>
      <shown.Content />
    </PageFrame>
  );
}

// What needs attention, the worst first.
import { Card, CardBody, CardTitle, Icon } from "@patternfly/react-core";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import InfoCircleIcon from "@patternfly/react-icons/dist/esm/icons/info-circle-icon";
import { useState } from "react";
import { Link } from "react-router-dom";
import { Time } from "../../components/Time";
import type { Alert } from "./alerts";

const icons = {
  danger: { Mark: ExclamationCircleIcon, word: "Error" },
  warning: { Mark: ExclamationTriangleIcon, word: "Warning" },
  info: { Mark: InfoCircleIcon, word: "Note" },
};
const shownFirst = 6;

function Row({ alert }: { alert: Alert }) {
  const { Mark, word } = icons[alert.level];
  return (
    <li className="concern">
      <Icon status={alert.level} size="lg">
        <Mark title={word} />
      </Icon>
      <div>
        {alert.to ? <Link to={alert.to}>{alert.title}</Link> : alert.title}
        {alert.detail && <div className="quiet">{alert.detail}</div>}
      </div>
      <span className="quiet concern-at">
        {alert.at && <Time at={alert.at} style="relative" />}
      </span>
    </li>
  );
}

export function AlertsCard({ alerts }: { alerts: Alert[] }) {
  const [all, setAll] = useState(false);
  const visible = all ? alerts : alerts.slice(0, shownFirst);
  return (
    <Card>
      <CardTitle component="h2">Needs attention</CardTitle>
      <CardBody>
        {alerts.length === 0 ? (
          <p className="all-well">
            <Icon status="success" size="lg">
              <CheckCircleIcon />
            </Icon>{" "}
            No problems. No failures and no pending systems.
          </p>
        ) : (
          <ul className="concerns">
            {visible.map((alert) => (
              <Row key={alert.id} alert={alert} />
            ))}
          </ul>
        )}
        {alerts.length > visible.length && (
          <button type="button" className="text-button" onClick={() => setAll(true)}>
            Show all {alerts.length}
          </button>
        )}
      </CardBody>
    </Card>
  );
}

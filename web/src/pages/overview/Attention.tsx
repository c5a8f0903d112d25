// What needs attention, the worst first.
import { Card, CardBody, CardTitle, Icon } from "@patternfly/react-core";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import InfoCircleIcon from "@patternfly/react-icons/dist/esm/icons/info-circle-icon";
import { useState } from "react";
import { Link } from "react-router-dom";
import { Time } from "../../components/Time";
import type { Concern } from "./concerns";

const icons = {
  danger: { Mark: ExclamationCircleIcon, word: "Error" },
  warning: { Mark: ExclamationTriangleIcon, word: "Warning" },
  info: { Mark: InfoCircleIcon, word: "Note" },
};
const shownFirst = 6;

function Row({ concern }: { concern: Concern }) {
  const { Mark, word } = icons[concern.level];
  return (
    <li className="concern">
      <Icon status={concern.level} size="lg">
        <Mark title={word} />
      </Icon>
      <div>
        {concern.to ? <Link to={concern.to}>{concern.title}</Link> : concern.title}
        {concern.detail && <div className="quiet">{concern.detail}</div>}
      </div>
      <span className="quiet concern-at">
        {concern.at && <Time at={concern.at} style="relative" />}
      </span>
    </li>
  );
}

export function Attention({ concerns }: { concerns: Concern[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? concerns : concerns.slice(0, shownFirst);
  return (
    <Card>
      <CardTitle component="h2">Needs attention</CardTitle>
      <CardBody>
        {concerns.length === 0 ? (
          <p className="all-well">
            <Icon status="success" size="lg">
              <CheckCircleIcon />
            </Icon>{" "}
            All is well: no failures, nobody waits.
          </p>
        ) : (
          <ul className="concerns">
            {shown.map((each) => (
              <Row key={each.id} concern={each} />
            ))}
          </ul>
        )}
        {concerns.length > shown.length && (
          <button type="button" className="text-button" onClick={() => setAll(true)}>
            Show all {concerns.length}
          </button>
        )}
      </CardBody>
    </Card>
  );
}

// What a revert added to the draft, and what it skipped.
import { Alert, AlertActionCloseButton } from "@patternfly/react-core";
import { useLocation, useNavigate } from "react-router-dom";
import { itemTitle } from "../../components/draft/sectionNames";
import { plural } from "../../components/format";
import type { Reverted } from "./types";

export interface RevertReport {
  revision: number;
  changes: number;
  skipped: Reverted["skipped"];
}

// Carried by the location, as the revision page left it.
export function RevertResult() {
  const location = useLocation();
  const go = useNavigate();
  const report = (location.state as { reverted?: RevertReport } | null)?.reverted;
  if (!report) return null;
  const { revision, changes, skipped } = report;
  const close = () => go(location.pathname, { replace: true, state: null });
  return (
    <Alert
      isInline
      variant={skipped.length > 0 ? "warning" : "success"}
      component="h2"
      title={`Revert of revision ${revision}: ${plural(changes, "change")} added to the draft`}
      actionClose={<AlertActionCloseButton aria-label="Close revert report" onClose={close} />}
    >
      {skipped.length > 0 && (
        <>
          <p>{plural(skipped.length, "item")} skipped:</p>
          <ul aria-label="Skipped items">
            {skipped.map((item) => (
              <li key={`${item.section} ${item.name}`}>
                <strong>{itemTitle(item.section, item.name)}</strong>: {item.reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </Alert>
  );
}

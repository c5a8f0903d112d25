// From page to page of a list whose newest things come first.
import { Button } from "@patternfly/react-core";
import AngleLeftIcon from "@patternfly/react-icons/dist/esm/icons/angle-left-icon";
import AngleRightIcon from "@patternfly/react-icons/dist/esm/icons/angle-right-icon";
import type { PageControls } from "./usePagedList";

export function Pager({ turning, label }: { turning: PageControls; label: string }) {
  const { number, busy, newer, older } = turning;
  if (number === 1 && !older && !busy) return null;
  return (
    <nav className="pager" aria-label={label}>
      <Button
        variant="secondary"
        size="sm"
        icon={<AngleLeftIcon />}
        isAriaDisabled={!newer}
        onClick={newer}
      >
        Newer
      </Button>
      <span className="quiet" aria-live="polite">
        Page {number}
      </span>
      <Button
        variant="secondary"
        size="sm"
        icon={<AngleRightIcon />}
        iconPosition="end"
        isAriaDisabled={!older}
        isLoading={busy}
        onClick={older}
      >
        Older
      </Button>
    </nav>
  );
}

// What stands in a page's place while there is nothing else to show.
import {
  Bullseye,
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
  Spinner,
} from "@patternfly/react-core";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import type { ComponentType, ReactNode } from "react";
import { ApiError } from "../api/client";
import { TextWithTimes } from "./TextWithTimes";

export function LoadingView({ what }: { what: string }) {
  return (
    <Bullseye className="loading">
      <Spinner size="lg" aria-label={`Loading ${what}`} />
    </Bullseye>
  );
}

// What went wrong, in the server's words, and what one can do.
export function ErrorView({ error, retry }: { error: Error; retry?: () => void }) {
  const title = error instanceof ApiError ? problemTitle(error) : "Page failed to load";
  return (
    <EmptyState
      titleText={title}
      headingLevel="h2"
      status="danger"
      icon={ExclamationCircleIcon}
      variant="sm"
    >
      <EmptyStateBody>
        <TextWithTimes text={error.message} />
      </EmptyStateBody>
      {retry && (
        <EmptyStateFooter>
          <EmptyStateActions>
            <Button variant="secondary" onClick={retry}>
              Retry
            </Button>
          </EmptyStateActions>
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

export function problemTitle(error: ApiError): string {
  switch (error.status) {
    case 0:
      return "Server not reachable";
    case 403:
      return "Access denied";
    case 404:
      return "Not found";
    case 429:
      return "Too many requests";
    case 503:
      return "Temporarily unavailable";
    default:
      return error.title;
  }
}

interface EmptyProps {
  title: string;
  icon?: ComponentType;
  children?: ReactNode; // what to do next
  actions?: ReactNode;
}

export function EmptyView({ title, icon, children, actions }: EmptyProps) {
  return (
    <EmptyState titleText={title} headingLevel="h2" icon={icon} variant="sm">
      {children && <EmptyStateBody>{children}</EmptyStateBody>}
      {actions && (
        <EmptyStateFooter>
          <EmptyStateActions>{actions}</EmptyStateActions>
        </EmptyStateFooter>
      )}
    </EmptyState>
  );
}

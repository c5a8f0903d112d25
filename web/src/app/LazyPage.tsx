// A page whose code may not be here yet.
import {
  Button,
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
} from "@patternfly/react-core";
import DisconnectedIcon from "@patternfly/react-icons/dist/esm/icons/disconnected-icon";
import { type ComponentType, useEffect, useState } from "react";
import { ErrorView, LoadingView } from "../components/states";
import { type PageSource, ServerUnreachable } from "./pageSource";
import { useConnection } from "./useConnection";

interface Opened {
  Component?: ComponentType;
  failure?: Error;
}

export function LazyPage({ source }: { source: PageSource }) {
  const { up } = useConnection();
  const [opened, setOpened] = useState<Opened>({ Component: source.component });
  const [attempt, setAttempt] = useState(0);
  const { Component, failure } = opened;
  const isHere = Component !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is loaded again when the server is back
  useEffect(() => {
    if (isHere) return;
    let gone = false;
    source.open({ reload: attempt > 0 }).then(
      (Component) => !gone && setOpened({ Component }),
      (thrown: unknown) =>
        !gone &&
        setOpened({ failure: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
    );
    return () => {
      gone = true;
    };
  }, [source, attempt, up, isHere]);
  const retry = () => setAttempt((is) => is + 1);
  if (Component) return <Component />;
  if (failure instanceof ServerUnreachable) return <UnreachableView retry={retry} />;
  if (failure) return <ErrorView error={failure} retry={retry} />;
  return <LoadingView what="the page" />;
}

function UnreachableView({ retry }: { retry: () => void }) {
  return (
    <EmptyState
      titleText="Server not reachable"
      headingLevel="h1"
      icon={DisconnectedIcon}
      status="warning"
      variant="sm"
    >
      <EmptyStateBody>
        This page is not loaded yet. It opens when the server responds again.
      </EmptyStateBody>
      <EmptyStateFooter>
        <EmptyStateActions>
          <Button variant="secondary" onClick={retry}>
            Retry
          </Button>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}

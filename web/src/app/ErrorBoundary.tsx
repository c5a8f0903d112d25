// A page that fails takes nothing else with it, and says so.
import { Component, type ReactNode } from "react";
import { ErrorView } from "../components/states";

interface State {
  failure: Error | null;
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failure: null };

  static getDerivedStateFromError(failure: unknown): State {
    return { failure: failure instanceof Error ? failure : new Error(String(failure)) };
  }

  override render() {
    if (!this.state.failure) return this.props.children;
    return <ErrorView error={this.state.failure} retry={() => this.setState({ failure: null })} />;
  }
}

// A page that fails takes nothing else with it, and says so.
import { Component, type ReactNode } from "react";
import { ProblemState } from "../components/states";

interface State {
  failure: Error | null;
}

export class Boundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failure: null };

  static getDerivedStateFromError(failure: unknown): State {
    return { failure: failure instanceof Error ? failure : new Error(String(failure)) };
  }

  override render() {
    if (!this.state.failure) return this.props.children;
    return (
      <ProblemState error={this.state.failure} retry={() => this.setState({ failure: null })} />
    );
  }
}

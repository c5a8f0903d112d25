// The code of a page, which comes to the browser when the page is first opened, or before that.
import type { ComponentType } from "react";
import { serverAnswers } from "../api/connection";
import { mayReload } from "./reload";

type Load = () => Promise<{ default: ComponentType }>;

export class ServerUnreachable extends Error {
  constructor() {
    super("Server not reachable");
    this.name = "ServerUnreachable";
  }
}

export class PageSource {
  component: ComponentType | undefined; // once it is here
  private pending: Promise<ComponentType> | undefined;
  private failed = false;

  constructor(private readonly load: Load) {}

  // Before it is needed. What goes wrong is told when the page is opened.
  async prefetch(): Promise<void> {
    await this.fetch().catch(() => undefined);
  }

  // `reload`: somebody asked for another try, so that the whole UI may be loaded anew.
  async open({ reload }: { reload: boolean }): Promise<ComponentType> {
    let failure: unknown;
    if (!this.failed) {
      try {
        return await this.fetch();
      } catch (thrown) {
        failure = thrown;
      }
    }
    // A browser may not ask again for a part that failed once, and after an update of the server the
    // parts have other names: both need the UI to be loaded anew, which needs the server.
    if (!(await serverAnswers())) throw new ServerUnreachable();
    if (!reload && !mayReloadNow()) throw failure ?? new Error("This page cannot be loaded.");
    window.location.reload();
    return new Promise(() => undefined);
  }

  private fetch(): Promise<ComponentType> {
    this.pending ??= this.load().then(
      (module) => {
        this.component = module.default;
        return module.default;
      },
      (failure: unknown) => {
        this.failed = true;
        throw failure;
      },
    );
    return this.pending;
  }
}

function mayReloadNow(): boolean {
  try {
    return mayReload(sessionStorage, Date.now());
  } catch {
    return false; // without a memory it might go round for ever
  }
}

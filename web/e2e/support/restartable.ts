// A server that can go away and come back, at the same address and with the same data.
import type { ChildProcess } from "node:child_process";
import { eventually, Server } from "./server";

export class RestartableServer extends Server {
  private stopped: ChildProcess | undefined;

  // As a power cut does it.
  async stop(): Promise<void> {
    const child = this.children.find(({ spawnargs }) => spawnargs[1] === "serve");
    if (!child) throw new Error("the server is not open");
    const gone = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    this.children = this.children.filter((other) => other !== child);
    this.stopped = child;
  }

  async startAgain(): Promise<void> {
    if (!this.stopped) throw new Error("the server was not stopped");
    this.start("muster", this.stopped.spawnargs.slice(1), "server.log");
    this.stopped = undefined;
    await eventually("the server is back", async () => (await this.api.get("/api/v1/me")).ok());
  }
}

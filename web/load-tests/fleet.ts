// A server that knows a fleet of any size before it starts.
import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually, Server } from "../e2e/support/server";

const program =
  process.env.SYNTHETIC_FLEET ??
  fileURLToPath(new URL("../../build/release/tests/synthetic_fleet", import.meta.url));

export const systems = Number(process.env.SYSTEMS ?? 1_000_000);

function run(command: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { stdio: "inherit" });
    child.on("error", failed);
    child.on("exit", (code) => (code === 0 ? done() : failed(new Error(`${command}: ${code}`))));
  });
}

export class BigServer extends Server {
  protected override readonly patience = 300_000;

  async openWithFleet(): Promise<void> {
    // LEDGER: a directory that the program filled before; it takes minutes.
    const ledger = process.env.LEDGER;
    if (ledger) copyFileSync(join(ledger, "ledger.db"), join(this.data, "ledger.db"));
    else await run(program, [this.data, String(systems)]);
    await this.open();
    // Names are known at once; facts are read into the index after the start.
    await eventually(
      "all are found by their facts",
      async () => {
        const answer = await this.get<{ count: number }>(
          "/api/v1/systems/count?q=os:debian or os:ubuntu or os:sles or os:rhel",
        );
        return answer.count === systems;
      },
      this.patience,
    );
  }
}

// A server that trusts an authority of ours as if it were the machine's, and an HTTPS server that
// the authority vouches for. There is no setting for that: calendars are fetched by the machine's own
// list of authorities, in whose place the server gets another one, in a mount name space of its own.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server as Listener } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Server } from "./server";

const machineList = "/etc/ssl/certs/ca-certificates.crt";

// Before a command: it sees `list` in the machine's place.
function withList(list: string): string[] {
  const script = `mount --bind "$0" ${machineList} && exec "$@"`;
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, list];
}

let able: boolean | undefined;

// Whether the kernel lets us, and the machine has a list.
export function canTrust(): boolean {
  able ??= ((): boolean => {
    if (!existsSync(machineList)) return false;
    const [program = "", ...args] = [...withList(machineList), "true"];
    try {
      execFileSync(program, args, { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  })();
  return able;
}

export class TrustingServer extends Server {
  private readonly list = join(this.data, "authorities.pem");

  protected override words(program: string, args: string[]): string[] {
    const usual = super.words(program, args);
    return program === "muster" ? [...withList(this.list), ...usual] : usual;
  }

  // Its own authority is the one that it trusts, once there is one.
  override async open(...flags: string[]): Promise<void> {
    writeFileSync(this.list, "");
    await super.open(...flags);
    copyFileSync(join(this.data, "ca.pem"), this.list);
  }
}

// Serves one calendar, with the certificate of a server.
export class CalendarHost {
  asked = 0;
  private constructor(
    private readonly listener: Listener,
    public text: string,
  ) {}

  static async open(server: Server, text: string): Promise<CalendarHost> {
    const listener = createServer({
      cert: readFileSync(join(server.data, "server.pem")),
      key: readFileSync(join(server.data, "server-key.pem")),
    });
    const made = new CalendarHost(listener, text);
    listener.on("request", (_, answer) => {
      made.asked += 1;
      answer.setHeader("Content-Type", "text/calendar");
      answer.end(made.text);
    });
    await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
    return made;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.listener.address() as AddressInfo).port}/patching.ics`;
  }

  close(): void {
    this.listener.closeAllConnections();
    this.listener.close();
  }
}

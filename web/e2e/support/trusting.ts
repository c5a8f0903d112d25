// A server that trusts its own authority when it calls others, and an HTTPS server that the authority
// vouches for.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server as Listener } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Server } from "./server";

export class TrustingServer extends Server {
  private readonly list = join(this.data, "authorities.pem");

  // There is an authority only once it has started; the list is read when somebody is called.
  override async open(...flags: string[]): Promise<void> {
    writeFileSync(this.list, "");
    await super.open("--outbound-ca", this.list, ...flags);
    copyFileSync(join(this.data, "ca.pem"), this.list);
  }
}

// Serves one calendar, with the certificate of a server.
export class CalendarHost {
  requests = 0;
  private constructor(
    private readonly listener: Listener,
    public text: string,
  ) {}

  static async open(server: Server, text: string): Promise<CalendarHost> {
    const listener = createServer({
      cert: readFileSync(join(server.data, "server.pem")),
      key: readFileSync(join(server.data, "server-key.pem")),
    });
    const host = new CalendarHost(listener, text);
    listener.on("request", (_, answer) => {
      host.requests += 1;
      answer.setHeader("Content-Type", "text/calendar");
      answer.end(host.text);
    });
    await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
    return host;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.listener.address() as AddressInfo).port}/patching.ics`;
  }

  close(): void {
    this.listener.closeAllConnections();
    this.listener.close();
  }
}

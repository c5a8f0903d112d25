// Somebody whom events are sent to.
import { createHmac } from "node:crypto";
import { createServer, type Server as Listener } from "node:http";
import type { AddressInfo } from "node:net";

interface Message {
  body: string;
  stamp: string;
  signature: string;
}

export class Receiver {
  readonly messages: Message[] = [];
  private constructor(private readonly listener: Listener) {}

  static async open(): Promise<Receiver> {
    const listener = createServer();
    const receiver = new Receiver(listener);
    listener.on("request", (request, answer) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        receiver.messages.push({
          body: Buffer.concat(parts).toString(),
          stamp: String(request.headers["muster-timestamp"]),
          signature: String(request.headers["muster-signature"]),
        });
        answer.end();
      });
    });
    await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}/hook`;
  }

  // Whether a message with this word came, signed with the secret.
  has(word: string, secret: string): boolean {
    return this.messages.some(({ body, stamp, signature }) => {
      const due = createHmac("sha256", secret).update(`${stamp}.${body}`).digest("hex");
      return body.includes(word) && signature === `v1=${due}`;
    });
  }

  close(): void {
    this.listener.closeAllConnections();
    this.listener.close();
  }
}

// A real cluster of one server on loopback, and real agents.
import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type APIRequestContext, request } from "@playwright/test";

const bin = process.env.E2E_BIN ?? fileURLToPath(new URL("../../../build/bin", import.meta.url));
const usualPatience = 20_000;

// Without settings of our own: the programs read MUSTER_….
const surroundings = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("MUSTER_")),
);

export const admin = { user: "admin", password: "correct horse battery staple" };

// Below the ports of outgoing connections, which could take that of a server that is started again;
// the programs of tests/harness use lower ones. Two test files at a time begin at different ones.
const ports = { first: 28_000, count: 3_500 };
let given = (process.pid * 101) % ports.count;

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < ports.count; ++tries) {
    given = (given + 1) % ports.count; // before the wait: others may ask meanwhile
    const port = ports.first + given;
    if (await canListen(port)) return port;
  }
  throw new Error("no free loopback port");
}

// Looks until something holds; says what it waited for when it does not.
export async function eventually<T>(
  description: string,
  look: () => Promise<T | undefined | false>,
  patience = usualPatience,
): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const result = await look().catch(() => undefined);
    if (result) return result;
    if (Date.now() > end) throw new Error(`waited for: ${description}`);
    await new Promise((go) => setTimeout(go, 100));
  }
}

export class Server {
  readonly data = mkdtempSync(join(tmpdir(), "muster-web-"));
  url = "";
  protected children: ChildProcess[] = [];
  protected readonly patience: number = usualPatience; // with its start
  private agents = new Map<string, ChildProcess>();
  private context: APIRequestContext | null = null;
  private csrf = "";

  protected start(program: string, args: string[], log: string): ChildProcess {
    const to = openSync(join(this.data, log), "a");
    const child = spawn(join(bin, program), args, { stdio: ["ignore", to, to], env: surroundings });
    closeSync(to);
    this.children.push(child);
    return child;
  }

  async open(...flags: string[]): Promise<void> {
    const [port, health] = [await freePort(), await freePort()];
    this.url = `https://127.0.0.1:${port}`;
    const address = `127.0.0.1:${port}`;
    this.start(
      "muster",
      ["serve", "--data", this.data, "--listen", address, "--advertise", address]
        .concat(["--health-listen", `127.0.0.1:${health}`])
        .concat(flags),
      "server.log",
    );
    await eventually(
      "the server is ready",
      async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok,
      this.patience,
    ).catch((failure) => {
      const log = readFileSync(join(this.data, "server.log"), "utf8");
      throw new Error(`${failure}; the server said:\n${log.slice(-2000)}`);
    });
    await this.choosePassword();
  }

  private async choosePassword(): Promise<void> {
    const first = readFileSync(join(this.data, "first-password"), "utf8").trim();
    this.context = await request.newContext({ baseURL: this.url, ignoreHTTPSErrors: true });
    // On a machine that is busy a password may take longer to check than the API waits.
    await eventually(
      "the password is chosen",
      async () => {
        await this.logIn(first)
          .then(() => this.post("/api/v1/me/password", { old: first, new: admin.password }))
          .catch(() => undefined);
        await this.logIn(admin.password);
        return true;
      },
      this.patience,
    );
  }

  private async logIn(password: string): Promise<void> {
    const session = await this.post<{ csrf: string }>("/api/v1/login", {
      user: admin.user,
      password,
      cookie: true,
    });
    this.csrf = session.csrf;
  }

  // Where its pages may come from and what they may ask.
  get origins(): string[] {
    return [this.url];
  }

  get api(): APIRequestContext {
    if (!this.context) throw new Error("the server is not open");
    return this.context;
  }

  async post<T>(path: string, data: unknown, headers: Record<string, string> = {}): Promise<T> {
    const answer = await this.api.post(path, {
      data,
      headers: { "X-Muster-CSRF": this.csrf, ...headers },
    });
    if (!answer.ok()) throw new Error(`POST ${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async get<T>(path: string): Promise<T> {
    const answer = await this.api.get(path);
    if (!answer.ok()) throw new Error(`GET ${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async stopAgent(name: string): Promise<void> {
    const child = this.agents.get(name);
    if (!child || child.exitCode !== null) throw new Error(`no agent ${name} runs`);
    const gone = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  }

  // Starts an agent and waits until its key is known.
  async agent(name: string, ...flags: string[]): Promise<ChildProcess> {
    const child = this.start(
      "muster-agent",
      ["run", "--server", `${this.url}/`, "--ca", join(this.data, "ca.pem")]
        .concat(["--data", join(this.data, `agent-${name}`), "--name", name])
        .concat(flags),
      `agent-${name}.log`,
    );
    this.agents.set(name, child);
    await eventually(`${name} has enrolled`, async () => {
      const response = await this.api.get(`/api/v1/keys/${name}`);
      return response.ok();
    });
    return child;
  }

  // Accepts it and waits until it is attached.
  async onboard(name: string, labels: { tags?: string[]; groups?: string[] } = {}): Promise<void> {
    const system = await this.get<{ fingerprint: string }>(`/api/v1/keys/${name}`);
    await this.post("/api/v1/keys/accept", {
      fingerprints: [system.fingerprint],
      zone: "default",
      as_new: true,
      ...labels,
    });
    await eventually(`${name} is attached`, async () => {
      const now = await this.get<{ state: string }>(`/api/v1/systems/${name}`);
      return now.state === "onboarded";
    });
  }

  // Several at once.
  async fleet(names: string[], labels: { tags?: string[]; groups?: string[] } = {}): Promise<void> {
    const all = names.map(async (name) => {
      await this.agent(name);
      await this.onboard(name, labels);
    });
    await Promise.all(all);
  }

  // So many agents in one process, until they stand in the pool: swarm-0 and on.
  async swarm(count: number): Promise<void> {
    this.start(
      "muster-swarm",
      ["--server", this.url, "--ca", join(this.data, "ca.pem"), "--count", String(count)].concat([
        "--rate",
        "400",
      ]),
      "swarm.log",
    );
    await eventually("all of the swarm wait", async () => {
      const stats = await this.get<{ systems: { new: number } }>("/api/v1/stats");
      return stats.systems.new === count;
    });
  }

  // What the programs said is beside the pictures when something failed.
  private keepLogs(): void {
    const folder = join(process.env.E2E_RESULTS ?? "test-results", "logs", basename(this.data));
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(this.data))
      if (file.endsWith(".log")) copyFileSync(join(this.data, file), join(folder, file));
  }

  async close(): Promise<void> {
    await this.context?.dispose();
    const gone = this.children.map(
      (child) =>
        new Promise<void>((resolve) => {
          if (child.exitCode !== null || child.signalCode !== null) resolve();
          else child.on("exit", () => resolve());
        }),
    );
    for (const child of this.children.reverse()) child.kill("SIGTERM");
    await Promise.race([Promise.all(gone), new Promise((go) => setTimeout(go, 5_000))]);
    for (const child of this.children) child.kill("SIGKILL");
    try {
      this.keepLogs();
    } finally {
      rmSync(this.data, { recursive: true, force: true });
    }
  }
}

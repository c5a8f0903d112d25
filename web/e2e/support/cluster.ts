// Three real servers on one etcd, NATS and PostgreSQL, all on loopback.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { eventually, freePort, Server } from "./server";

interface Account {
  uid?: number;
  gid?: number;
}

// PostgreSQL does not run as root.
function postgresAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const ask = (flag: string) => Number(execFileSync("id", [flag, "postgres"]).toString());
  return { uid: ask("-u"), gid: ask("-g") };
}

function postgresProgram(name: string): string {
  for (const version of [17, 16, 15, 14]) {
    const path = `/usr/lib/postgresql/${version}/bin/${name}`;
    if (existsSync(path)) return path;
  }
  throw new Error(`PostgreSQL is not installed: no ${name}`);
}

export class Cluster extends Server {
  private flags: string[] = [];
  private nodes = new Map<string, ChildProcess>();
  private urls = new Map<string, string>();

  private engine(program: string, args: string[], log: string, as: Account = {}): ChildProcess {
    const to = openSync(join(this.data, log), "a");
    const child = spawn(program, args, { stdio: ["ignore", to, to], ...as });
    closeSync(to);
    this.children.push(child);
    return child;
  }

  private async startEtcd(): Promise<string> {
    const [clients, peers] = [await freePort(), await freePort()];
    const at = `http://127.0.0.1:${clients}`;
    const between = `http://127.0.0.1:${peers}`;
    this.engine(
      "etcd",
      ["--name=one", `--data-dir=${join(this.data, "etcd")}`, "--log-level=warn"].concat(
        [`--listen-client-urls=${at}`, `--advertise-client-urls=${at}`],
        [`--listen-peer-urls=${between}`, `--initial-advertise-peer-urls=${between}`],
        [`--initial-cluster=one=${between}`],
      ),
      "etcd.log",
    );
    await eventually("etcd answers", async () => (await fetch(`${at}/health`)).ok);
    return `etcd://127.0.0.1:${clients}`;
  }

  private async startNats(): Promise<string> {
    const [clients, monitor] = [await freePort(), await freePort()];
    const file = join(this.data, "nats.conf");
    writeFileSync(
      file,
      `server_name: one\nlisten: 127.0.0.1:${clients}\nhttp: 127.0.0.1:${monitor}\n` +
        `jetstream { store_dir: "${join(this.data, "nats")}", max_file_store: 1GB }\n`,
    );
    this.engine("nats-server", ["-c", file], "nats.log");
    await eventually("NATS answers", async () => {
      return (await fetch(`http://127.0.0.1:${monitor}/healthz`)).ok;
    });
    return `nats://127.0.0.1:${clients}`;
  }

  private async startPostgres(): Promise<string> {
    const port = await freePort();
    const account = postgresAccount();
    const home = join(this.data, "postgres");
    mkdirSync(home);
    // Whoever it runs as must come through to its own directory.
    execFileSync("chmod", ["711", this.data]);
    if (account.uid !== undefined) chownSync(home, account.uid, account.gid ?? account.uid);
    const data = join(home, "data");
    const init = [
      "--no-sync",
      "--encoding=UTF8",
      "--locale=C",
      "--username=muster",
      "--auth=trust",
    ];
    execFileSync(postgresProgram("initdb"), [...init, "-D", data], {
      stdio: "ignore",
      cwd: home,
      ...account,
    });
    const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${home}`];
    this.engine(
      postgresProgram("postgres"),
      ["-D", data, "-p", String(port)].concat(settings.flatMap((setting) => ["-c", setting])),
      "postgres.log",
      account,
    );
    await eventually("PostgreSQL answers", async () =>
      readFileSync(join(this.data, "postgres.log"), "utf8").includes("ready to accept connections"),
    );
    execFileSync(
      "psql",
      ["-h", "127.0.0.1", "-p", String(port), "-U", "muster", "-d", "postgres"].concat([
        "-c",
        "create database muster",
      ]),
      { stdio: "ignore" },
    );
    return `postgresql://muster@127.0.0.1:${port}/muster`;
  }

  async openAll(): Promise<void> {
    const [metastore, bus, ledger] = await Promise.all([
      this.startEtcd(),
      this.startNats(),
      this.startPostgres(),
    ]);
    this.flags = ["--metastore", metastore, "--bus", bus, "--ledger", ledger]
      .concat(["--ledger-tls", "off", "--lease-ttl", "2s"])
      .concat(["--driver-plan-interval", "1s", "--driver-moves-per-step", "16384"]);
    await this.open("--name", "muster-1", ...this.flags);
    for (const name of ["muster-2", "muster-3"]) await this.join(name);
    await eventually("all nodes have slots", async () => {
      const stats = await this.get<{ nodes: { slots: number }[] }>("/api/v1/stats");
      return stats.nodes.length === 3 && stats.nodes.every((node) => node.slots > 0);
    });
  }

  // With the two systems that lively.ts needs.
  async openWithAgents(): Promise<void> {
    await this.openAll();
    await this.fleet(["web1", "web2"], { tags: ["web"] });
  }

  private async join(name: string): Promise<void> {
    const token = await this.post<{ join: string }>("/api/v1/nodes/tokens", { zone: "default" });
    await this.serve(name, token.join);
  }

  // A further server, by a token and where it is shown.
  async serve(name: string, options: string): Promise<void> {
    const [port, health] = [await freePort(), await freePort()];
    const address = `127.0.0.1:${port}`;
    const child = this.start(
      "muster",
      ["serve", "--data", join(this.data, name), "--name", name, "--listen", address]
        .concat(["--advertise", address, "--health-listen", `127.0.0.1:${health}`])
        .concat(["--join", options])
        .concat(this.flags),
      `${name}.log`,
    );
    this.nodes.set(name, child);
    this.urls.set(name, `https://${address}`);
    await eventually(`${name} is ready`, async () => {
      return (await fetch(`http://127.0.0.1:${health}/readyz`)).ok;
    });
  }

  override get origins(): string[] {
    return [this.url, ...this.urls.values()];
  }

  urlOf(name: string): string {
    return this.urls.get(name) ?? this.url;
  }

  // As a power cut does it. The first server cannot be: it is the one that is asked.
  kill(name: string): void {
    this.nodes.get(name)?.kill("SIGKILL");
  }
}

/** Starts nginx and Caddy with the sites of deploy/, on a free port of this machine and with a test certificate. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { connect } from "node:tls";
import { SELF_SIGNED } from "../client/sockets.ts";
import { readDeployFile } from "../deploy/deploy-files.ts";
import { freshFolder } from "../harness.ts";
import { waitUntilReady } from "../server/real-server.ts";

/** The name in the sample sites. */
export const HOST = "playtest.example.com";

const CERTIFICATE_KEY = SELF_SIGNED.replace("localhost.pem", "localhost-key.pem");

export interface RunningProxy {
  /** The port for HTTPS. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Replaces a text that must be in a file, so that a changed sample cannot turn a test into an empty one. */
function replaceIn(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`Not in the sample: ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** Starts nginx with the site in deploy/nginx in front of a service. */
export async function startNginx(upstreamPort: number): Promise<RunningProxy> {
  const folder = freshFolder();
  const [port, httpPort] = [await findFreePort(), await findFreePort()];
  const certificate = `/etc/letsencrypt/live/${HOST}`;
  const site = replaceIn(readDeployFile("nginx/playtest.conf"), {
    "server 127.0.0.1:4400": `server 127.0.0.1:${upstreamPort}`,
    "    listen [::]:80;\n": "",
    "    listen [::]:443 ssl http2;\n": "",
    "listen 80;": `listen 127.0.0.1:${httpPort};`,
    "listen 443 ssl http2;": `listen 127.0.0.1:${port} ssl http2;`,
    [`${certificate}/fullchain.pem`]: SELF_SIGNED,
    [`${certificate}/privkey.pem`]: CERTIFICATE_KEY,
  });
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join("\n");
  // The workers run as the same user, because others cannot enter the folders of a test.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const main = `${user}\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${site}\n}\n`;
  const config = join(folder, "nginx.conf");
  writeFileSync(config, main);
  const child = spawn("nginx", ["-p", folder, "-c", config, "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return await waitForProxy(child, port);
}

/** Starts Caddy with the site in deploy/caddy in front of a service. */
export async function startCaddy(upstreamPort: number): Promise<RunningProxy> {
  const folder = freshFolder();
  const port = await findFreePort();
  // Without the admin API, several Caddys can run. Caddy must not request a certificate for the public name.
  const options = `{\n\tadmin off\n\tauto_https off\n\tdefault_sni ${HOST}\n`;
  const site = `{$PLAYTEST_HOST:${HOST}} {\n`;
  const config = replaceIn(readDeployFile("caddy/Caddyfile"), {
    "\n{\n\tservers {": `\n${options}\tservers {`,
    [site]: `${site}\tbind 127.0.0.1\n\ttls ${SELF_SIGNED} ${CERTIFICATE_KEY}\n`,
  });
  const file = join(folder, "Caddyfile");
  writeFileSync(file, config);
  mkdirSync(join(folder, "data"));
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_DATA_HOME: join(folder, "data"),
      XDG_CONFIG_HOME: join(folder, "data"),
      PLAYTEST_HOST: `https://${HOST}:${port}`,
      PLAYTEST_UPSTREAM: `127.0.0.1:${upstreamPort}`,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  return await waitForProxy(child, port);
}

async function waitForProxy(child: ChildProcess, port: number): Promise<RunningProxy> {
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await waitUntilReady(
    child,
    () => acceptsTls(port),
    () => stderr,
  );
  return {
    port,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function acceptsTls(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", servername: HOST, rejectUnauthorized: false });
    socket.once("secureConnect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("No free port");
  return address.port;
}

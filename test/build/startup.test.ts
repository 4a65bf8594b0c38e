/** Files that are loaded at startup: no heavy packages, and a limited total size. */
import { cp, mkdtemp, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleOutputs, type Outputs } from "./bundle-outputs.ts";

interface Groups {
  readonly first: readonly string[];
  readonly core: readonly string[];
}

const root = join(import.meta.dirname, "..", "..");
const HEAVY = [
  "undici",
  "ora",
  "conf",
  "ajv",
  "kysely",
  "@inquirer/prompts",
  "csv-stringify",
  "jq-wasm",
  "hono",
  "@hono/node-server",
  "rate-limiter-flexible",
  "sentiment",
  "@resvg/resvg-wasm",
  "prom-client",
  "pino",
  "@opentelemetry/api",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/exporter-trace-otlp-http",
];
/** Packages for observability. */
const WATCHING = HEAVY.filter((name) => /^(prom-client|pino|@opentelemetry\/.*)$/.test(name));

/** Prints the files of the program that were read to stderr. */
const SPY = `const fs = require("node:fs"), { sep } = require("node:path"), { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  if (String(path).includes(process.env.SPIED + sep)) process._rawDebug("read " + path);
  return readFileSync(path, ...rest);
};`;

let folder: string;
let server: Server;
let packages: Map<string, Set<string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "playtest-startup-"));
  await writeFile(join(folder, "spy.cjs"), SPY);
  // Required by the database driver, which is not part of the bundle.
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await cp(join(root, "dist"), join(folder, "dist"), { recursive: true });
  packages = await packagesByFile();
  server = createServer((_, response) => response.end('{"games":[]}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => server.close());

/** Returns the packages in each file of the build. */
async function packagesByFile(): Promise<Map<string, Set<string>>> {
  const { chunkGroups } = (await import("../../scripts/chunk-groups.mjs" as string)) as {
    chunkGroups(outputs: Outputs): Groups;
  };
  const outputs = await bundleOutputs();
  const { first, core } = chunkGroups(outputs);
  const byFile = new Map<string, Set<string>>();
  for (const [path, { inputs }] of Object.entries(outputs)) {
    const chunk = basename(path);
    const file = first.includes(chunk) ? "bin.js" : core.includes(chunk) ? "core.js" : chunk;
    const names = byFile.get(file) ?? new Set();
    for (const input of Object.keys(inputs)) names.add(packageOf(input));
    byFile.set(file, names);
  }
  return byFile;
}

function packageOf(path: string): string {
  const inside = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  return path.includes("node_modules/") ? (/^(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? "") : "";
}

/** Returns the files of the program that a command line reads, except the code cache, and their size in bytes. */
async function filesOf(...args: string[]): Promise<{ files: string[]; bytes: number }> {
  return await filesRead(args, {});
}

async function filesRead(
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<{ files: string[]; bytes: number; exitCode: number | undefined }> {
  const env = {
    SPIED: join(folder, "dist"),
    HOME: folder,
    PLAYTEST_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    PLAYTEST_KEY: "any",
    PLAYTEST_NO_COMPLETION_REFRESH: "1",
    ...more,
  };
  const { stderr, exitCode } = await execa(
    "node",
    ["-r", join(folder, "spy.cjs"), join(folder, "dist", "bin.js"), ...args],
    { env, reject: false },
  );
  const read = [...stderr.matchAll(/^read (.+)$/gm)].map(([, path]) => basename(path ?? ""));
  const files = ["bin.js", ...read.filter((name) => name.endsWith(".js") && name !== "bin.js")];
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, "dist", name))).size));
  return { files, bytes: sizes.reduce((sum, size) => sum + size, 0), exitCode };
}

const heavyIn = (files: readonly string[]) =>
  files.flatMap((file) => [...(packages.get(file) ?? [])].filter((name) => HEAVY.includes(name)));

test("--version loads only the first file", async () => {
  const { files, bytes } = await filesOf("--version");
  expect(files).toEqual(["bin.js"]);
  expect(bytes).toBeLessThan(26_000);
});

test("help loads no commands or packages", async () => {
  for (const args of [["--help"], ["builds", "compare", "--help"]]) {
    const { files, bytes } = await filesOf(...args);
    expect(files).toHaveLength(2);
    expect(files.flatMap((file) => [...(packages.get(file) ?? [])].filter(Boolean))).toEqual([]);
    expect(bytes).toBeLessThan(192_000);
  }
});

test("shell completion loads two files, no commands and no packages", async () => {
  const { files, bytes } = await filesOf("__complete", "games", "--", "games", "get");
  expect(files).toHaveLength(2);
  expect(files.flatMap((file) => [...(packages.get(file) ?? [])].filter(Boolean))).toEqual([]);
  expect(bytes).toBeLessThan(40_000);
});

test("a simple command loads the common file, no heavy packages, and its own small file", async () => {
  const { files, bytes } = await filesOf("games", "list");
  expect(files).toEqual(["bin.js", "core.js"]);
  expect(heavyIn(files)).toEqual([]);
  // With what all lists are derived from: the reader of pages, flags of filters, short ids and details.
  expect(bytes).toBeLessThan(450_000);
});

test("a server loads no MCP code before an assistant connects", async () => {
  const { files } = await filesOf("server", "exec", "--database", ":memory:", "--", "true");
  expect(heavyIn(files)).toContain("kysely");
  expect(heavyIn(files)).not.toContain("@modelcontextprotocol/sdk");
});

test("a server loads observability packages only if they are enabled", async () => {
  // The port is in use, so that the server exits after it has loaded everything else.
  const port = String((server.address() as AddressInfo).port);
  const start = ["server", "start", "--database", ":memory:", "--port", port];
  const loaded = async (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { files, exitCode } = await filesRead([...start, ...flags], env);
    expect(exitCode).toBe(3);
    return heavyIn(files).filter((name) => WATCHING.includes(name));
  };
  expect(await loaded([])).toEqual([]);
  expect(new Set(await loaded(["--metrics"]))).toEqual(new Set(["prom-client", "@opentelemetry/api"]));
  expect(await loaded(["--log-format", "json"])).toEqual(["pino"]);
  const traced = await loaded([], { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  expect(new Set(traced)).toEqual(new Set(WATCHING.filter((name) => name.startsWith("@"))));
});

test("the test finds heavy packages in the files that contain them", () => {
  const all = new Set([...packages.values()].flatMap((names) => [...names]));
  expect(HEAVY.filter((name) => !all.has(name))).toEqual([]);
});

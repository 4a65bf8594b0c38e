/** The package from a registry: `npx playtest@<version>`, and an installation into an empty project without scripts. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";
import { type Packed, pack } from "./packed.ts";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string;
  readonly version: string;
};
const { version } = manifest;

let packed: Packed;
let server: Server;
let registry: string;

/** A registry with this package only, as npm reads it: a document with the versions, and the tarball. */
beforeAll(async () => {
  packed = await pack();
  const tarball = readFileSync(packed.file);
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  server = createServer((request, response) => {
    if (request.url === "/playtest.tgz") return response.end(tarball);
    if (request.url !== "/playtest") return response.writeHead(404).end("{}");
    const dist = { tarball: `${registry}/playtest.tgz`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ name: manifest.name, "dist-tags": { latest: version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

/** Runs a program of npm in an empty project with its own cache and settings. */
async function run(program: "npm" | "npx", argv: readonly string[], cwd: string) {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: cwd,
    npm_config_registry: registry,
    npm_config_cache: join(cwd, "cache"),
    npm_config_ignore_scripts: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  return await execa(program, argv, { cwd, env, extendEnv: false, reject: false });
}

test("npx runs a pinned version", async () => {
  const argv = ["--yes", `playtest@${version}`];
  expect(await run("npx", [...argv, "--version"], freshFolder())).toMatchObject({
    exitCode: 0,
    stdout: version,
  });
  const missing = await run("npx", ["--yes", "playtest@99.0.0", "--version"], freshFolder());
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining("ETARGET")]);
});

test("an empty project can install it without scripts, and the lockfile pins its hash", async () => {
  const cwd = freshFolder();
  const installed = await run("npm", ["install", "--save-exact", `playtest@${version}`], cwd);
  expect([installed.exitCode, installed.stderr]).toEqual([0, ""]);
  const lock = JSON.parse(readFileSync(join(cwd, "package-lock.json"), "utf8")) as {
    packages: Record<string, { readonly version: string; readonly integrity?: string }>;
  };
  expect(lock.packages["node_modules/playtest"]).toMatchObject({
    version,
    integrity: expect.stringMatching(/^sha512-/),
  });
  const plan = ["gate", "plan", "--detect", "40", "--power", "80"];
  expect((await run("npx", ["playtest", ...plan], cwd)).stdout).toContain("testers");
});

test("a service starts without any other package", async () => {
  const cwd = freshFolder();
  await run("npm", ["install", "--save-exact", `playtest@${version}`], cwd);
  const served = await run("npx", ["playtest", "server", "exec", "--", "true"], cwd);
  expect([served.exitCode, served.stderr]).toEqual([0, ""]);
});

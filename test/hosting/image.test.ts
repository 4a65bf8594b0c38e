/** The steps of the Dockerfile without Docker: the build from the files of its context, and the health check. */
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../cli/program.ts";
import { readDeployFile } from "../deploy/deploy-files.ts";
import { freshFolder } from "../harness.ts";
import { end, endAll, serve } from "../server/real-server.ts";

const dockerfile = readDeployFile("Dockerfile").replaceAll("\\\n", " ");
let installed: string;

beforeAll(async () => {
  const context = join(freshFolder(), "build");
  installed = join(freshFolder(), "playtest");
  mkdirSync(context);
  for (const [, path = ""] of readDeployFile("Dockerfile.dockerignore").matchAll(/^!(.+)$/gm))
    cpSync(join(root, path), join(context, path), { recursive: true });
  writeFileSync(join(context, "deploy", ".env"), "POSTGRES_PASSWORD=secret\n");
  // Instead of `npm ci`, which would download everything again.
  symlinkSync(join(root, "node_modules"), join(context, "node_modules"));
  const [, script = ""] = /^RUN (npm run build .*)$/m.exec(dockerfile) ?? [];
  expect(script).toContain("/opt/playtest");
  await execa("sh", ["-ec", script.replaceAll("/opt/playtest", installed)], { cwd: context });
});
afterAll(endAll);

test("the image contains the whole program, and no other packages", async () => {
  const home = freshFolder();
  const run = async (...argv: string[]) =>
    await execa(join(installed, "bin", "playtest"), argv, {
      extendEnv: false,
      env: { PATH: process.env.PATH, HOME: home },
    });
  expect((await run("--version")).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await run("builds", "--help")).stdout).toContain("compare <a> <b>");
  expect((await run("server", "exec", "--demo", "--", "playtest", "games", "list")).stdout).toContain(
    "ember",
  );
  expect(readdirSync(join(installed, "lib", "node_modules"))).toEqual(["playtest"]);
});

test("the package contains the samples, but not the password of compose.yaml", () => {
  const deploy = join(installed, "lib", "node_modules", "playtest", "deploy");
  expect(existsSync(join(deploy, "systemd", "playtest.service"))).toBe(true);
  expect(existsSync(join(deploy, ".env"))).toBe(false);
});

test("the health check succeeds while a server runs, and fails when it has stopped", async () => {
  const [, json = ""] = /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [command = "", ...args] = JSON.parse(json) as string[];
  const server = await serve(freshFolder(), "service");
  const { host } = new URL(server.url);
  const check = async () =>
    (
      await execa(
        command,
        args.map((arg) => arg.replace("127.0.0.1:4400", host)),
        { reject: false },
      )
    ).exitCode;
  expect(await check()).toBe(0);
  await end(server.process, "SIGTERM");
  expect(await check()).toBe(1);
});

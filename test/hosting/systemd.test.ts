/** The systemd units, as systemd itself sees them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, expect, test } from "vitest";
import { program } from "../cli/program.ts";
import { readDeployFile } from "../deploy/deploy-files.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";

const services = ["playtest.service", "playtest-backup.service"];
const units = [...services, "playtest-backup.timer"];

/** The highest accepted exposure, of 100. Node needs writable executable memory, and the service needs the network. */
const MAX_EXPOSURE = 15;

beforeAll(async () => {
  await requireProgram("systemd-analyze", "systemd");
});

/** Writes the units to a folder. Their program is that of this checkout, because systemd checks that it exists. */
function writeUnits(change: (text: string) => string = (text) => text): string {
  const folder = freshFolder();
  for (const unit of units) {
    const text = readDeployFile(`systemd/${unit}`).replace(
      "ExecStart=/usr/local/bin/playtest",
      `ExecStart=${program}`,
    );
    writeFileSync(join(folder, unit), change(text));
  }
  return folder;
}

const verify = async (folder: string) =>
  await execa("systemd-analyze", ["verify", "--man=no", ...units.map((unit) => join(folder, unit))], {
    reject: false,
    all: true,
  });

const analyzeSecurity = async (file: string) =>
  await execa(
    "systemd-analyze",
    ["security", "--offline=true", `--threshold=${MAX_EXPOSURE}`, "--no-pager", file],
    {
      reject: false,
      all: true,
    },
  );

test("systemd accepts the units without a warning", async () => {
  const { exitCode, all } = await verify(writeUnits());
  expect([exitCode, all]).toEqual([0, ""]);
});

test("systemd reports a misspelled setting", async () => {
  const { all } = await verify(writeUnits((text) => text.replace("ProtectSystem=", "ProtectSystems=")));
  expect(all).toContain("ProtectSystems");
});

test.each(services)("the exposure of %s is low", async (unit) => {
  const { exitCode, all } = await analyzeSecurity(join(writeUnits(), unit));
  expect([exitCode, all]).toEqual([0, expect.stringContaining("Overall exposure level")]);
});

test("the exposure of a service without its restrictions is high", async () => {
  const folder = writeUnits((text) => text.replace(/^(Protect|Restrict|Private|SystemCall).*\n/gm, ""));
  expect((await analyzeSecurity(join(folder, "playtest.service"))).exitCode).not.toBe(0);
});

test("the user of the units exists after systemd-sysusers", async () => {
  await requireProgram("systemd-sysusers", "systemd");
  const root = freshFolder();
  const file = join(root, "playtest.conf");
  mkdirSync(join(root, "etc"));
  writeFileSync(file, readDeployFile("systemd/playtest.sysusers"));
  const { all } = await execa("systemd-sysusers", [`--root=${root}`, "--dry-run", file], { all: true });
  expect(all).toContain("Creating user 'playtest'");
  for (const unit of services) expect(readDeployFile(`systemd/${unit}`)).toContain("\nUser=playtest\n");
});

/** gate allow: the exception that a failure suggests, written to playtest.config.json. */
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, NOW, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

const run = (words: string[], cwd: string) =>
  runCli([...words, "-g", "ember"], { service, cwd, clock: { now: NOW } });
const allow = (row: string, flags: string[], cwd: string) => run(["gate", "allow", row, ...flags], cwd);
const read = (cwd: string) => JSON.parse(readFileSync(join(cwd, "playtest.config.json"), "utf8"));

test("what the failures suggest makes the gate pass until its date", async () => {
  const cwd = freshFolder();
  for (let failures = 0; failures < 6; failures++) {
    const { code, err } = await run(["gate"], cwd);
    if (code === 0) break;
    const [, row = "", until = ""] = /`playtest gate allow (\S+) --until (\S+) --reason/.exec(err) ?? [];
    const added = await allow(row, ["--until", until, "--reason", "STUDIO-7"], cwd);
    expect([added.code, added.out]).toEqual([0, expect.stringContaining(`Allowed ${row} until ${until}`)]);
  }
  const { code, out } = await run(["gate"], cwd);
  expect([code, out]).toEqual([0, expect.stringContaining("GATE PASSED")]);
  expect(read(cwd).gate.allow).toHaveLength(3);
  const later = await runCli(["gate", "-g", "ember"], {
    service,
    cwd,
    clock: { now: NOW + 30 * 86_400_000 },
  });
  expect(later.code).toBe(10);
});

test("writes to the rules file of --config, which has to exist", async () => {
  const cwd = freshFolder();
  const flags = ["--until", "2099-12-31", "--reason", "STUDIO-7", "--config", "rules.json"];
  const missing = await allow("quit:furnace", flags, cwd);
  expect([missing.code, missing.err]).toEqual([3, expect.stringContaining("rules.json")]);
  writeFileSync(join(cwd, "rules.json"), JSON.stringify({ gate: { minTesters: 8 } }));
  const failed = await run(["gate", "--config", "rules.json"], cwd);
  expect(failed.err).toContain("playtest gate allow difficulty-spike:furnace --config rules.json --until ");
  expect((await allow("quit:furnace", flags, cwd)).code).toBe(0);
  const { gate } = JSON.parse(readFileSync(join(cwd, "rules.json"), "utf8"));
  expect(gate).toMatchObject({ minTesters: 8, allow: [{ tag: "quit:furnace" }] });
  expect(existsSync(join(cwd, "playtest.config.json"))).toBe(false);
});

test("keeps everything else in the file, and one exception for each row", async () => {
  const cwd = freshFolder();
  writeFileSync(
    join(cwd, "playtest.config.json"),
    JSON.stringify({
      game: "ember",
      gate: { minTesters: 8, allow: [{ tag: "x:y", reason: "a", expires: "2099-01-01" }] },
    }),
  );
  for (const reason of ["first", "second"])
    await allow("quit:*", ["--until", "2099-12-31", "--reason", reason], cwd);
  expect(read(cwd)).toEqual({
    game: "ember",
    gate: {
      minTesters: 8,
      allow: [
        { tag: "x:y", reason: "a", expires: "2099-01-01" },
        { tag: "quit:*", reason: "second", expires: "2099-12-31" },
      ],
    },
  });
});

test("keeps a link to the file, and the order of the rules", async () => {
  const [cwd, other] = [freshFolder(), freshFolder()];
  const target = join(other, "rules.json");
  writeFileSync(target, JSON.stringify({ gate: { tags: [], env: "production" } }));
  symlinkSync(target, join(cwd, "playtest.config.json"));
  await allow("quit:hall", ["--until", "2099-12-31", "--reason", "x"], cwd);
  expect(lstatSync(join(cwd, "playtest.config.json")).isSymbolicLink()).toBe(true);
  expect(Object.keys(JSON.parse(readFileSync(target, "utf8")).gate)).toEqual(["tags", "env", "allow"]);
});

test.each([
  [["--reason", "x"], "Missing --until"],
  [["--until", "2099-01-01"], "Missing --reason"],
  [["--until", "2026-02-30", "--reason", "x"], "--until"],
  [["--until", "2020-01-01", "--reason", "x"], "--until 2020-01-01 is over"],
])("refuses %j and writes nothing", async (flags, message) => {
  const cwd = freshFolder();
  const { code, err } = await allow("quit:hall", flags, cwd);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(() => read(cwd)).toThrow();
});

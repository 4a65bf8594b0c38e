/** Tests of server exec on a database that other programs use as well. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder, runCli } from "../harness.ts";

/** Reads the games and sends an empty telemetry request. Writes the statuses and the keys to a file. */
const PROBE = `
  const { PLAYTEST_BASE_URL: url, PLAYTEST_KEY: key, PLAYTEST_INGEST_KEY: ingest } = process.env;
  const request = (path, key, more) => fetch(url + path, { headers: { authorization: "Bearer " + key }, ...more });
  const read = await request("/api/v1/games", key);
  const write = await request("/api/telemetry", ingest, { method: "POST", body: "{}" });
  const stored = await request("/api/v1/games", process.argv[2]);
  const { writeFileSync } = await import("node:fs");
  const statuses = [read.status, write.status, stored.status];
  writeFileSync(process.argv[1], JSON.stringify({ statuses, key, ingest }));`;

test("leaves the stored keys unchanged and valid, and uses new keys in each run", async () => {
  const home = freshFolder();
  const database = join(home, "studio.db");
  const run = (...argv: string[]) => runCli([...argv, "--database", database, "--json"], { home });
  await run("admin", "games", "create", "ember");
  const rotated = JSON.parse((await run("admin", "keys", "rotate")).out) as { key: string };
  await run("admin", "keys", "create");
  // The day of the last use changes, because the command also uses a stored key.
  const list = async () =>
    JSON.parse((await run("admin", "keys", "list")).out).keys.map((key: object) => ({
      ...key,
      lastUsedAt: null,
    }));
  const before = await list();
  const file = join(home, "probe.json");
  const exec = () =>
    runCli(
      [
        ...["server", "exec", "--database", database, "--"],
        ...[process.execPath, "--input-type=module", "-e", PROBE, file, rotated.key],
      ],
      { home },
    );
  expect((await exec()).code).toBe(0);
  const first = JSON.parse(readFileSync(file, "utf8"));
  // The telemetry request has no content type, which is checked after the key and its scope.
  expect(first.statuses).toEqual([200, 415, 200]);
  expect((await exec()).code).toBe(0);
  const second = JSON.parse(readFileSync(file, "utf8"));
  expect([second.key, second.ingest]).not.toEqual([first.key, first.ingest]);
  expect(await list()).toEqual(before);
});

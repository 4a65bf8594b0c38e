/** Play of two games over some days and builds, and what exports of it are read back with. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { NOW, type TestService } from "../harness.ts";
import { eventsOf, play } from "../server/play.ts";

export const DAY = 86_400_000;

/** Sends sessions of the 12 days up to a time, with two days without any, in two builds and environments. */
export async function playDays(service: TestService, until = NOW): Promise<void> {
  for (const game of ["ember", "tide"]) await service.addGame(game);
  for (let n = 0; n < 60; n += 1) {
    const back = (n * 7) % 12;
    if (back === 3 || back === 4) continue;
    const names = ["jump", "death", "a=b"].slice(0, 1 + (n % 3));
    await play(service, {
      gameId: n % 5 === 0 ? "tide" : "ember",
      startedAt: until - back * DAY - n * 60_000,
      environment: n % 4 === 0 ? "staging" : "production",
      deviceId: `d${n % 9}`,
      sessionMetadata: { gameVersion: n % 2 === 0 ? "0.8.0" : "0.9.0", platform: "linux" },
      events: eventsOf(names, until - back * DAY - n * 60_000),
      sessionEnded: true,
    });
  }
}

/** Every file below a folder but locks and state, by its path: its bytes, manifests without the time of writing. */
export function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => !name.startsWith(".playtest") && statSync(join(root, name)).isFile());
  return Object.fromEntries(
    files.map((name) => {
      const bytes = readFileSync(join(root, name));
      const isManifest = name.endsWith(".manifest.json");
      return [name, isManifest ? withoutTime(bytes.toString()) : bytes.toString("base64")];
    }),
  );
}

const withoutTime = (manifest: string) => manifest.replace(/"writtenAt": ".*"/, '"writtenAt": ""');

/** Rows of a query of DuckDB, 64-bit numbers as text. */
export async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Sample sessions of two games for exports, and functions to read exported files. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { NOW, type TestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

export const DAY = 86_400_000;

/** Sends sessions from the 12 days before `until`, with two empty days, in two builds and environments. */
export async function sendSampleSessions(service: TestService, until = NOW): Promise<void> {
  for (const game of ["ember", "tide"]) await service.addGame(game);
  for (let n = 0; n < 60; n += 1) {
    const daysAgo = (n * 7) % 12;
    if (daysAgo === 3 || daysAgo === 4) continue;
    const names = ["jump", "death", "a=b"].slice(0, 1 + (n % 3));
    await sendTelemetry(service, {
      gameId: n % 5 === 0 ? "tide" : "ember",
      startedAt: until - daysAgo * DAY - n * 60_000,
      environment: n % 4 === 0 ? "staging" : "production",
      deviceId: `d${n % 9}`,
      sessionMetadata: { gameVersion: n % 2 === 0 ? "0.8.0" : "0.9.0", platform: "linux" },
      events: createEvents(names, until - daysAgo * DAY - n * 60_000),
      sessionEnded: true,
    });
  }
}

/** Reads all files below a folder except locks and state, by path. Manifests have no write time, so that they are comparable. */
export function readFiles(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter(
    (name) => !/^_playtest.(state|lock|id)/.test(name) && statSync(join(root, name)).isFile(),
  );
  return Object.fromEntries(
    files.map((name) => {
      const bytes = readFileSync(join(root, name));
      const isManifest = name.endsWith(".json");
      return [name, isManifest ? removeWriteTime(bytes.toString()) : bytes.toString("base64")];
    }),
  );
}

/** Writes a manifest, so that an export continues the sessions of ember in a folder. */
export function writeSessionManifest(root: string, service: string, format = "parquet"): void {
  const folder = join(root, "_playtest/sessions/game=ember");
  mkdirSync(folder, { recursive: true });
  const query = { service, environments: [], by: "day", time: "recordedAt", from: 0 };
  writeFileSync(join(folder, "day=1970-01-01.json"), JSON.stringify({ format, gzip: false, query }));
}

const removeWriteTime = (manifest: string) => manifest.replace(/"writtenAt": ".*"/, '"writtenAt": ""');

/** Runs a DuckDB query. 64-bit integers are returned as text. */
export async function queryDuckDb(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

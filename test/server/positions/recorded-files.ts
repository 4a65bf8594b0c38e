/** Optional files with recorded telemetry next to the project, and helpers to send their bodies. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import type { TestService } from "../../harness.ts";
import type { SentEvent } from "../telemetry-helpers.ts";

const folder = join(import.meta.dirname, "..", "..", "..", "..", "shared", "data");

export interface RecordedBody {
  readonly gameId: string;
  readonly clientSessionId: string;
  readonly sessionMetadata: { readonly gameVersion: string };
  readonly startedAt: number;
  readonly source: string;
  readonly deviceId: string;
  readonly sessionEnded?: boolean;
  readonly events: readonly SentEvent[];
}

export const getFilePath = (name: string) => join(folder, `${name}.ndjson.gz`);
export const hasRecordedFiles = (...names: string[]) => names.every((name) => existsSync(getFilePath(name)));

export function readBodies(name: string): RecordedBody[] {
  const lines = gunzipSync(readFileSync(getFilePath(name)))
    .toString()
    .split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RecordedBody);
}

/** Sends bodies in the given order. Returns how many events were stored and how many were duplicates. */
export async function sendAll(service: TestService, bodies: readonly RecordedBody[]) {
  let [accepted, duplicates] = [0, 0];
  for (const body of bodies) {
    const answer = await service.post("/api/telemetry", body);
    expect([answer.status, answer.json.rejected]).toEqual([202, []]);
    accepted += answer.json.accepted;
    duplicates += answer.json.duplicates;
  }
  return { accepted, duplicates };
}

/** Recorded play in files: lines of telemetry, plain and gzip. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { NOW } from "../harness.ts";

/** So many events, their ids beginning with `prefix`. */
export function events(count: number, prefix = "e", data?: object) {
  return Array.from({ length: count }, (_, at) => ({
    id: `${prefix}${at}`,
    name: "jump",
    timestamp: NOW - 3_600_000 + at,
    ...(data ? { data } : {}),
  }));
}

/** A body of one session. */
export function body(session: string, eventList: unknown, more: object = {}) {
  return { gameId: "ember", clientSessionId: session, events: eventList, ...more };
}

/** Lines as a file's text. */
export function ndjson(lines: readonly unknown[]): string {
  return lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
}

/** Writes lines into a file of a folder, gzip where its name says so, and answers its name. */
export function record(folder: string, name: string, lines: readonly unknown[]): string {
  const text = ndjson(lines);
  writeFileSync(join(folder, name), name.endsWith(".gz") ? gzipSync(text) : text);
  return name;
}

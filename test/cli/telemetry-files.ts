/** Creates telemetry files, plain and gzip. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { NOW } from "../harness.ts";

/** Creates events whose ids begin with `prefix`. */
export function events(count: number, prefix = "e", data?: object) {
  return Array.from({ length: count }, (_, at) => ({
    id: `${prefix}${at}`,
    name: "jump",
    timestamp: NOW - 3_600_000 + at,
    ...(data ? { data } : {}),
  }));
}

/** Creates a telemetry body of one session. */
export function body(session: string, eventList: unknown, more: object = {}) {
  return { gameId: "ember", clientSessionId: session, events: eventList, ...more };
}

/** Formats lines as NDJSON. */
export function ndjson(lines: readonly unknown[]): string {
  return lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
}

/** Writes lines to a file, compressed if its name ends in .gz. Returns the name. */
export function record(folder: string, name: string, lines: readonly unknown[]): string {
  const text = ndjson(lines);
  writeFileSync(join(folder, name), name.endsWith(".gz") ? gzipSync(text) : text);
  return name;
}

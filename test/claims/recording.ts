/** Recorded sessions: telemetry bodies as sent, joined into sessions. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** An event as sent. */
export interface PlayEvent {
  readonly id: string;
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** A telemetry body as sent. */
export interface PlayBody {
  readonly gameId: string;
  readonly clientSessionId: string;
  readonly deviceId?: string | undefined;
  readonly environment?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly sessionMetadata?: Readonly<Record<string, unknown>> | undefined;
  readonly sessionEnded?: boolean | undefined;
  readonly events: readonly PlayEvent[];
}

/** A recorded session: its bodies, and its events in the order of their timestamps. */
export interface PlaySession {
  readonly first: PlayBody;
  readonly bodies: readonly PlayBody[];
  readonly events: readonly PlayEvent[];
  readonly build: string | null;
  readonly environment: string;
}

/** Joins bodies into sessions. An event whose id was sent before is a repetition. */
export function joinSessions(bodies: Iterable<PlayBody>): PlaySession[] {
  const bodiesById = new Map<string, [PlayBody, ...PlayBody[]]>();
  for (const body of bodies) {
    const key = JSON.stringify([body.gameId, body.clientSessionId]);
    const known = bodiesById.get(key);
    if (known) known.push(body);
    else bodiesById.set(key, [body]);
  }
  return [...bodiesById.values()].map((own) => {
    const [first] = own;
    const events = new Map<string, PlayEvent>();
    for (const event of own.flatMap((body) => body.events)) {
      if (!events.has(event.id)) events.set(event.id, event);
    }
    const build = first.sessionMetadata?.gameVersion;
    return {
      first,
      bodies: own,
      events: [...events.values()].sort((a, b) => a.timestamp - b.timestamp),
      build: typeof build === "string" ? build : null,
      environment: first.environment ?? "production",
    };
  });
}

/** Reads a recording: one telemetry body per line, optionally compressed with gzip. */
export function readRecording(file: string): PlayBody[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): PlayBody => JSON.parse(line));
}

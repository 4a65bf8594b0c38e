/** Finds the session of each imported row, and refuses rows that contradict their session. */
import { createHash } from "node:crypto";
import { telemetryEnvelope } from "../../contract/telemetry.ts";
import { RowFault } from "./columns.ts";
import type { ImportedRow, SessionFields } from "./rows.ts";

/** The maximum number of sessions that are remembered, and of devices whose last session is. */
const MAX_REMEMBERED = 200_000;

/** The maximum length of `clientSessionId`. A longer id is hashed. */
const MAX_ID = 120;

interface DeviceState {
  readonly session: string;
  /** Unix ms. */
  readonly start: number;
  readonly last: number;
}

/** The fields of a session that all its rows must agree on, because the service stores one value per session. */
const AGREED = ["device", "tester", "build", "environment"] as const;

export class SessionFinder {
  readonly #gapMs: number | null;
  readonly #devices = new Map<string, DeviceState>();
  readonly #known = new Map<string, SessionFields>();

  /** `gapMs` is the pause that starts a new session; null if the rows name their sessions. */
  constructor(gapMs: number | null) {
    this.#gapMs = gapMs;
  }

  /** The `clientSessionId` of a row and the fields of its session so far. Throws `RowFault` if the row contradicts them. */
  find(row: ImportedRow): { readonly session: string; readonly fields: SessionFields } {
    const session = this.#gapMs === null ? toClientId(row.session ?? "") : this.#findByGap(row, this.#gapMs);
    const known = this.#known.get(session);
    if (known === undefined) {
      const fault = findFieldFault(row.fields);
      if (fault !== null) throw new RowFault(fault);
      remember(this.#known, session, row.fields);
      return { session, fields: row.fields };
    }
    const fields = agree(session, known, row.fields);
    if (fields !== known) {
      const fault = findFieldFault(fields);
      if (fault !== null) throw new RowFault(fault);
      this.#known.set(session, fields);
    }
    return { session, fields };
  }

  #findByGap({ fields, event }: ImportedRow, gapMs: number): string {
    const { device } = fields;
    if (device === "") throw new RowFault("the device is empty, so its session is unknown");
    const state = this.#devices.get(device);
    const time = event.timestamp;
    if (state && time < state.start)
      throw new RowFault("is earlier than the session before it of the same device. Sort the file by time");
    const continues = state !== undefined && time - state.last <= gapMs;
    const session = continues ? state.session : toClientId(`${device}@${new Date(time).toISOString()}`);
    const start = continues ? state.start : time;
    remember(this.#devices, device, { session, start, last: Math.max(time, continues ? state.last : time) });
    return session;
  }
}

/** Sets an entry, and forgets the oldest entry if there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}

function toClientId(id: string): string {
  return id.length <= MAX_ID ? id : `csv-${createHash("sha256").update(id).digest("hex")}`;
}

/** The fields of a session with those of one more row. Throws `RowFault` if they differ. */
function agree(session: string, known: SessionFields, fields: SessionFields): SessionFields {
  for (const field of AGREED) {
    const [a, b] = [known[field], fields[field]];
    if (a !== "" && b !== "" && a !== b)
      throw new RowFault(
        `the session ${JSON.stringify(session)} has the ${field} ${JSON.stringify(a)}, but this row has ${JSON.stringify(b)}`,
      );
  }
  const keys = Object.keys(known) as (keyof SessionFields)[];
  const adds = keys.some((key) => known[key] === "" && fields[key] !== "");
  if (!adds) return known;
  const merged = { ...known };
  for (const key of keys) merged[key] ||= fields[key];
  return merged;
}

/** The fields of a telemetry body for a session. */
export function toEnvelope(fields: SessionFields): Record<string, unknown> {
  const { device, tester, build, environment, platform } = fields;
  const metadata = {
    ...(build === "" ? {} : { gameVersion: build }),
    ...(platform === "" ? {} : { platform }),
  };
  return {
    ...(device === "" ? {} : { deviceId: device }),
    ...(tester === "" ? {} : { testerHandle: tester }),
    ...(environment === "" ? {} : { environment }),
    ...(Object.keys(metadata).length === 0 ? {} : { sessionMetadata: metadata }),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  deviceId: "device",
  testerHandle: "tester",
  gameVersion: "build",
};

/** Returns why the service would reject or ignore a field, or null. */
function findFieldFault(fields: SessionFields): string | null {
  const parsed = telemetryEnvelope.safeParse({ ...toEnvelope(fields), events: [] });
  const [issue] = parsed.error?.issues ?? [];
  if (!issue) return null;
  const field = String(issue.path.at(-1) ?? "");
  const name = NAMES[field] ?? field;
  const value = fields[name as keyof SessionFields] ?? "";
  return `the ${name} ${JSON.stringify(value.slice(0, 60))}: ${issue.message}`;
}

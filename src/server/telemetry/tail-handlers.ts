/** The live tail, and the counts of what was refused. */
import type { Input } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import type { countRefusals, tailTelemetry } from "../../contract/telemetry-tail.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import { isValidKey } from "../accounts/authenticate.ts";
import type { Call, Handler } from "../accounts/handler.ts";
import type { TemporaryKeys } from "../accounts/keys.ts";
import { badRequest } from "../core/http-errors.ts";
import { StreamResponse } from "../core/responses.ts";
import type { Db } from "../db/schema.ts";
import { requireGame } from "../games/game-queries.ts";
import { findRefusalCounts } from "./arrival-queries.ts";
import type { TelemetryService } from "./ingest.ts";
import {
  decodePosition,
  encodePosition,
  findTailEnd,
  readTail,
  TAIL_START,
  type TailFilter,
  type TailPosition,
} from "./tail.ts";
import { streamTail } from "./tail-stream.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
/** Maximum number of open streams per account, and in total. Each polls the database a few times per second. */
const MAX_STREAMS = { account: 8, total: 64 } as const;
/** The value of Retry-After when too many streams are open, ms. */
const RETRY_AFTER_MS = 5000;

interface TailService extends TelemetryService {
  readonly temporaryKeys: TemporaryKeys;
}

export const handleTailTelemetry: Handler<typeof tailTelemetry, TailService> = async (query, call) => {
  const { db, accountId, service } = call;
  const { device, event, kind } = query;
  const gameId = query.game === undefined ? undefined : (await requireGame(db, accountId, query.game)).id;
  const filter = { gameId, device, event, kind };
  const after = await findStart(db, accountId, call.lastEventId ?? query.after);
  if (call.acceptsEvents) return openStream(after, filter, call);
  const limit = Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const read = await readTail(db, accountId, { after, filter, limit, now: service.now() });
  return { items: [...read.items], next: encodePosition(read.next), missed: read.missed };
};

async function findStart(db: Db, accountId: string, after: string | undefined): Promise<TailPosition> {
  if (after === undefined) return TAIL_START;
  const end = await findTailEnd(db, accountId);
  if (after === "now") return end;
  const position = decodePosition(after);
  if (!position) {
    const message = "must be `now`, or a cursor of an earlier response";
    throw badRequest([{ path: ["after"], code: "invalid_value", message }]);
  }
  // A cursor beyond the end comes from another database.
  return position.id > end.id ? TAIL_START : position;
}

/** The accounts of the open streams of a service. */
const openStreams = new WeakMap<TelemetryService, string[]>();

function openStream(
  after: TailPosition,
  filter: TailFilter,
  { service, accountId, key }: Call<TailService>,
): StreamResponse {
  const open = openStreams.get(service) ?? [];
  openStreams.set(service, open);
  const ofAccount = open.filter((account) => account === accountId).length;
  if (open.length >= MAX_STREAMS.total || ofAccount >= MAX_STREAMS.account)
    throw new HttpError("unavailable", {
      message: "Too many live tails are open",
      extra: { retryAfterMs: RETRY_AFTER_MS },
    });
  open.push(accountId);
  const { store, temporaryKeys } = service;
  return new StreamResponse(
    streamTail(after, {
      draining: service.draining,
      read: async (position) => {
        if (!(await isValidKey({ db: store.readDb, temporaryKeys, now: service.now() }, key))) return null;
        const options = { after: position, filter, limit: DEFAULT_LIMIT, now: service.now() };
        return await store.read((db) => readTail(db, accountId, options));
      },
      onEnd: () => open.splice(open.indexOf(accountId), 1),
      report: (error) => service.report("live tail", error),
    }),
  );
}

export const handleCountRefusals: Handler<typeof countRefusals, TelemetryService> = async (
  _query: Input<typeof countRefusals>,
  { db, accountId, service },
) => {
  const fromHour = Math.floor(service.now() / HOUR_MS) - 23;
  const counts = await findRefusalCounts(db, accountId, fromHour);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const reasons = [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
  return { since: fromHour * HOUR_MS, total, reasons };
};

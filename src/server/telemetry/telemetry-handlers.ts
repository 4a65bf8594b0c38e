/** Telemetry that game clients send, the settings that they read, and what was counted and stored. */

import type { getEventConfig } from "../../contract/event-config.ts";
import type { listEventCounts } from "../../contract/events.ts";
import {
  ARRIVAL_SETTLING_MS,
  type getEvents,
  type listRawEvents,
  MAX_RAW_EVENT_PAGE_SIZE,
  type RawEvent,
  type RawEventPage,
  TOP_EVENTS,
} from "../../contract/events.ts";
import type { resolveGame, sendTelemetry } from "../../contract/telemetry.ts";
import type { Handler } from "../accounts/handler.ts";
import { badRequest } from "../core/http-errors.ts";
import { jsonList, jsonObject } from "../core/responses.ts";
import { readSdkSettings, requireGame, toGame } from "../games/game-queries.ts";
import {
  requireIngestEnvironment,
  requireIngestGame,
  requireKeyGame,
  toIngestScope,
} from "../games/key-game.ts";
import { countSessions, sumEvents } from "../sessions/event-sum-queries.ts";
import { readEventBuckets } from "./event-bucket-queries.ts";
import { findEventConfig, toEventFlags } from "./event-config-queries.ts";
import type { TelemetryService } from "./ingest.ts";
import { ingest } from "./ingest.ts";
import { decodePlace, encodePlace, readRawEvents } from "./raw-events.ts";
import { listSdkHeaders, readEnvironment, readSource } from "./sdk-headers.ts";

export const handleSendTelemetry: Handler<typeof sendTelemetry, TelemetryService> = async (
  { body },
  { service, key, headers, warnings, network, bodyBytes },
) => {
  const allWarnings = [...warnings];
  const scope = toIngestScope(key);
  const environment = requireIngestEnvironment(scope, body.environment ?? readEnvironment(headers));
  const source = body.source ?? readSource(headers, allWarnings);
  const sender = { keyHash: key.hash, network, bodyBytes };
  return await ingest(service, scope, { ...body, environment, source }, allWarnings, sender);
};

export const handleResolveGame: Handler<typeof resolveGame> = async ({ gameId }, { db, key }) => {
  const { id, slug, name } = await requireIngestGame(db, toIngestScope(key), gameId);
  return { gameId: id, slug, name };
};

/** Returns the flags as a map, and in the form that SDKs read if the request has the header of an SDK. */
export const handleGetEventConfig: Handler<typeof getEventConfig> = async (
  { slug },
  { db, key, headers, responseHeaders },
) => {
  const game = await requireKeyGame(db, key, slug);
  const rows = await findEventConfig(db, game.id);
  const sdkHeaders = listSdkHeaders(headers);
  // Without an SDK header, no name of a header tells a cache apart which requests get the other form.
  responseHeaders.vary = sdkHeaders.length > 0 ? sdkHeaders.join(", ") : "*";
  if (sdkHeaders.length === 0)
    return { events: Object.fromEntries(rows.map((row) => [row.name, toEventFlags(row)])) };
  const events = rows.map((row) => ({ eventName: row.name, ...toEventFlags(row) }));
  return { events, game: readSdkSettings(game) };
};

export const handleGetEvents: Handler<typeof getEvents> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const { build, env: environment, from, to } = input;
  const filter = { gameId: game.id, build, environment, from, to };
  const top = [...(await sumEvents(db, filter))].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return {
    game: toGame(game),
    sessionCount: await countSessions(db, filter),
    total: top.reduce((sum, [, count]) => sum + count, 0),
    byName: Object.fromEntries(top),
    top: top.slice(0, TOP_EVENTS),
  };
};

export const handleListEventCounts: Handler<typeof listEventCounts> = async (input, { db, accountId }) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  const { by = "day", env, from = 0, to = Number.MAX_SAFE_INTEGER } = input;
  return await readEventBuckets(db, { gameId, by, env: env === "all" ? undefined : env, from, to });
};

export const handleListRawEvents: Handler<typeof listRawEvents> = async (
  query,
  { db, accountId, service },
) => {
  const { build, env, event, from = 0, to, cursor, limit = MAX_RAW_EVENT_PAGE_SIZE } = query;
  const game = await requireGame(db, accountId, query.game);
  const start = cursor === undefined ? null : decodePlace(cursor);
  if (cursor !== undefined && start === null) {
    const message = "must be the `next` of an earlier response";
    throw badRequest([{ path: ["cursor"], code: "invalid_value", message }]);
  }
  const first = { receivedAt: from, sessionId: "", seq: 0, index: 0 };
  const { items, next, unreadable } = await readRawEvents(db, game.id, {
    start: start === null || start.receivedAt < from ? first : start,
    to,
    limit: Math.min(limit, MAX_RAW_EVENT_PAGE_SIZE),
    filter: { build, env: env === "all" ? undefined : env, event },
  });
  return jsonObject<RawEventPage>({
    items: jsonList<RawEvent>(items),
    next: next === null ? null : encodePlace(next),
    unreadable,
    settledUntil: Math.max(0, service.now() - ARRIVAL_SETTLING_MS),
  });
};

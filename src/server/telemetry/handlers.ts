/** Telemetry: stores what a game client sends. */
import type { resolveGame, sendTelemetry } from "../../contract/telemetry.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireIngestEnvironment, requireIngestGame, toIngestScope } from "../games/key-game.ts";
import { ingest } from "./ingest.ts";
import { readEnvironment, readSource } from "./sdk-headers.ts";
import type { TelemetryService } from "./service.ts";

export const handleSendTelemetry: Handler<typeof sendTelemetry, TelemetryService> = async (
  { body },
  { service, key, headers, warnings },
) => {
  const allWarnings = [...warnings];
  const scope = toIngestScope(key);
  const environment = requireIngestEnvironment(scope, body.environment ?? readEnvironment(headers));
  const source = body.source ?? readSource(headers, allWarnings);
  return await ingest(service, scope, { ...body, environment, source }, allWarnings);
};

export const handleResolveGame: Handler<typeof resolveGame> = async ({ gameId }, { db, key }) => {
  const { id, slug, name } = await requireIngestGame(db, toIngestScope(key), gameId);
  return { gameId: id, slug, name };
};

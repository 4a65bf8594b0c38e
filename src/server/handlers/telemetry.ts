/** Telemetry: stores what a game client sends. */
import type { sendTelemetry } from "../../contract/telemetry.ts";
import { ingest } from "../ingest/ingest.ts";
import type { Handler } from "./handler.ts";

export const handleSendTelemetry: Handler<typeof sendTelemetry> = async (
  { body },
  { service, accountId, key },
) => ingest(service, { accountId, boundGameId: key.game_id }, body);

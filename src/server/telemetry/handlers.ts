/** Telemetry: stores what a game client sends. */
import type { sendTelemetry } from "../../contract/telemetry.ts";
import type { Handler } from "../accounts/handler.ts";
import { ingest } from "./ingest.ts";
import type { TelemetryService } from "./service.ts";

export const handleSendTelemetry: Handler<typeof sendTelemetry, TelemetryService> = async (
  { body },
  { service, accountId, key },
) => ingest(service, { accountId, boundGameId: key.game_id }, body);

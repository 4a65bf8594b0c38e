/** The running service as telemetry sees it. */
import type { Service } from "../db/service.ts";
import type { EventNames } from "./event-names.ts";
import type { SeenIds } from "./seen-ids.ts";

export interface TelemetryService extends Service {
  readonly seenIds: SeenIds;
  readonly eventNames: EventNames;
}

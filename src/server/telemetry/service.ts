/** The running service as telemetry sees it. */
import type { Service } from "../db/service.ts";
import type { ArrivalLog } from "./arrival-log.ts";
import type { EventNames } from "./event-names.ts";
import type { SeenIds } from "./seen-ids.ts";

export interface TelemetryService extends Service {
  readonly seenIds: SeenIds;
  readonly eventNames: EventNames;
  /** What arrived, for the live tail. */
  readonly arrivals: ArrivalLog;
}

/** The whole running service: everything that a handler or the request pipeline uses. */
import type { PositionsService } from "../positions/grids.ts";
import type { TelemetryService } from "../telemetry/service.ts";
import type { Limits } from "./limits.ts";

export interface AppService extends TelemetryService, PositionsService {
  readonly limits: Limits;
}

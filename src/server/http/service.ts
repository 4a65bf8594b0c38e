/** The service as handlers and the request pipeline use it. */
import type { KeyUse } from "../accounts/key-use.ts";
import type { TemporaryKeys } from "../accounts/keys.ts";
import type { BackupStatus } from "../backups/schedule.ts";
import type { Work } from "../db/service.ts";
import type { StorageLimit } from "../db/storage-limit.ts";
import type { PositionsService } from "../positions/heatmap-cache.ts";
import type { TelemetryService } from "../telemetry/ingest.ts";
import type { RateLimits } from "./rate-limits.ts";

export interface AppService extends TelemetryService, PositionsService {
  readonly work: Work<AppService>;
  readonly limits: RateLimits;
  readonly temporaryKeys: TemporaryKeys;
  readonly keyUse: KeyUse;
  readonly storage: StorageLimit;
  /** The backups that this server makes. */
  readonly backups: { readonly status: BackupStatus };
}

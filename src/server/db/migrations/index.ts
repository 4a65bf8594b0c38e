/** The migrations, in order: numbered and append-only. */
import type { Migration } from "kysely";
import * as play from "./001-play.ts";
import * as feedback from "./002-feedback.ts";
import * as batches from "./003-batches.ts";
import * as experiments from "./004-experiments.ts";
import * as providers from "./005-providers.ts";
import * as webhooks from "./006-webhooks.ts";
import * as counts from "./007-counts.ts";
import * as testerHandles from "./008-tester-handles.ts";
import * as dayCounts from "./009-day-counts.ts";
import * as positionBlocks from "./010-position-blocks.ts";
import * as rateLimits from "./011-rate-limits.ts";
import * as eventTotals from "./012-event-totals.ts";
import * as sessionClocks from "./013-session-clocks.ts";
import * as analysisVersions from "./014-analysis-versions.ts";
import * as roomCompletions from "./015-room-completions.ts";
import * as analysisErrors from "./016-analysis-errors.ts";
import * as sessionCreations from "./017-session-creations.ts";
import * as sdkShapes from "./018-sdk-shapes.ts";
import * as positionEvents from "./019-position-events.ts";
import * as arrivals from "./020-arrivals.ts";
import * as keysAndAudit from "./021-keys-and-audit.ts";
import * as erasures from "./022-erasures.ts";
import * as retention from "./023-retention.ts";
import * as outboundWebhooks from "./024-webhooks.ts";
import * as sessionChanges from "./025-session-changes.ts";
import * as eventArrivals from "./026-event-arrivals.ts";
import * as accountCounts from "./027-account-counts.ts";
import * as buildCounts from "./028-build-counts.ts";
import * as eventCountBlocks from "./029-event-count-blocks.ts";
import * as consoleSessions from "./030-console-sessions.ts";

export const migrations: Record<string, Migration> = {
  "001-play": play,
  "002-feedback": feedback,
  "003-batches": batches,
  "004-experiments": experiments,
  "005-providers": providers,
  "006-webhooks": webhooks,
  "007-counts": counts,
  "008-tester-handles": testerHandles,
  "009-day-counts": dayCounts,
  "010-position-blocks": positionBlocks,
  "011-rate-limits": rateLimits,
  "012-event-totals": eventTotals,
  "013-session-clocks": sessionClocks,
  "014-analysis-versions": analysisVersions,
  "015-room-completions": roomCompletions,
  "016-analysis-errors": analysisErrors,
  "017-session-creations": sessionCreations,
  "018-sdk-shapes": sdkShapes,
  "019-position-events": positionEvents,
  "020-arrivals": arrivals,
  "021-keys-and-audit": keysAndAudit,
  "022-erasures": erasures,
  "023-retention": retention,
  "024-webhooks": outboundWebhooks,
  "025-session-changes": sessionChanges,
  "026-event-arrivals": eventArrivals,
  "027-account-counts": accountCounts,
  "028-build-counts": buildCounts,
  "029-event-count-blocks": eventCountBlocks,
  "030-console-sessions": consoleSessions,
};

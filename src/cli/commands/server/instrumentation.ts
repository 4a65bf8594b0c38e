/** How a local service is observed: an observer, an error reporter and, optionally, metrics. */

import type { AuditEntry } from "../../../server/audit/audit.ts";
import type { Dependencies } from "../../../server/core/dependencies.ts";
import type { Observer } from "../../../server/core/observer.ts";
import type { AppOptions } from "../../../server/http/context.ts";
import type { Context } from "../../context.ts";

export interface Instrumentation {
  readonly observer: Observer;
  readonly report: Dependencies["report"];
  readonly metrics?: AppOptions["metrics"];
  /** Logs an administrative change; absent without a JSON log. */
  readonly logChange?: (entry: AuditEntry) => void;
}

/** Reports errors of the service as lines on stderr. */
export function createTextReporter(context: Context): Instrumentation["report"] {
  return (what, error) =>
    void context.notify(`error in ${what}: ${String((error as Error)?.message ?? error)}`);
}

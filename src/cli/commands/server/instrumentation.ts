/** What a service reports to: an observer, a report of faults, and metrics where they are served. */

import type { Dependencies } from "../../../server/core/dependencies.ts";
import type { Observer } from "../../../server/core/observer.ts";
import type { AppOptions } from "../../../server/http/context.ts";
import type { Context } from "../../context.ts";

/** The observers of a service. */
export interface Instrumentation {
  readonly observer: Observer;
  readonly report: Dependencies["report"];
  readonly metrics?: AppOptions["metrics"];
}

/** Reports faults of the service as lines on stderr. */
export function createTextReporter(context: Context): Instrumentation["report"] {
  return (what, error) =>
    void context.notify(`fault in ${what}: ${String((error as Error)?.message ?? error)}`);
}

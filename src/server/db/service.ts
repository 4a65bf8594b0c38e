/** The running service as every module above the database sees it. */
import type { Dependencies } from "../core/dependencies.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Store } from "./store.ts";

export interface Service extends Dependencies {
  readonly store: Store;
  /** Commits writes that arrive together in one transaction. */
  readonly commits: Pick<GroupCommit, "run">;
  /** Fires when a shutdown is requested: requests are still answered, but no more should be sent. */
  readonly draining: AbortSignal;
  /** Fires when the service stops: requests to AI models are abandoned. */
  readonly stopping: AbortSignal;
  /** Called when a session may be due for analysis. */
  wakeAnalysis(): void;
  /** Called when an event was added to the outbox of webhooks. */
  wakeDeliveries(): void;
}

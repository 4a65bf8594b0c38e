/** What the whole service shares: the database, the clock, the source of ids, the limits and the analysis. */
import { randomBytes } from "node:crypto";
import type { GroupCommit } from "./db/group-commit.ts";
import type { Store } from "./db/store.ts";
import type { HeatmapGrids } from "./heatmap-grids.ts";
import type { EventNames } from "./ingest/event-names.ts";
import type { SeenIds } from "./ingest/seen-ids.ts";
import type { Limits } from "./limits.ts";
import { type Observer, unobserved } from "./observe/observer.ts";

/** The prefixes of ids. */
export type IdKind =
  | "user"
  | "game"
  | "sess"
  | "ins"
  | "exp"
  | "aud"
  | "ff"
  | "sub"
  | "resp"
  | "pth"
  | "share"
  | "ptb"
  | "ptk"
  | "tvi";

/** Time, identity and where faults are told: what makes a run repeatable when they are fixed. */
export interface Surroundings {
  /** Unix ms. */
  now(): number;
  /** A new id that begins with its kind, such as `sess_...`. */
  newId(kind: IdKind): string;
  /** Told of every fault that a client only sees as "Internal error", with the id of its request where it had one. */
  report(message: string, error: unknown, requestId?: string): void;
  /** Who watches. */
  readonly observer: Observer;
}

/** A running service. */
export interface Service extends Surroundings {
  readonly store: Store;
  readonly limits: Limits;
  readonly seenIds: SeenIds;
  readonly eventNames: EventNames;
  readonly grids: HeatmapGrids;
  /** Where telemetry is committed. */
  readonly commits: GroupCommit;
  /** Fires when a stop is asked for: requests are still answered, but no more should be sent. */
  readonly draining: AbortSignal;
  /** Fires when the service stops: a model that is waited for is then let go. */
  readonly stopping: AbortSignal;
  /** Called when a session may be due for analysis. */
  wakeAnalysis(): void;
}

export const systemSurroundings: Surroundings = {
  now: () => Date.now(),
  newId: (kind) => `${kind}_${randomBytes(12).toString("hex")}`,
  report: () => {},
  observer: unobserved,
};

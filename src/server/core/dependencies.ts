/** Dependencies of all modules: clock, ids and error reports. Tests replace them to get repeatable results. */
import { randomBytes } from "node:crypto";
import { noopObserver, type Observer } from "./observer.ts";

/** The prefixes of ids. */
type IdKind =
  | "user"
  | "game"
  | "sess"
  | "ins"
  | "exp"
  | "aud"
  | "ff"
  | "sub"
  | "bug"
  | "resp"
  | "pth"
  | "share"
  | "ptb"
  | "ptk"
  | "tvi"
  | "whk"
  | "evt"
  | "chg"
  | "qua"
  | "gate";

export interface Dependencies {
  /** The current time, unix ms. */
  now(): number;
  /** Whole milliseconds of a monotonic clock, for durations: adjusting the wall clock does not affect it. */
  monotonicNow(): number;
  /** Creates an id that starts with its kind, such as `sess_...`. */
  newId(kind: IdKind): string;
  /** Reports an error that a client only sees as "Internal error", with the id of the request if there is one. */
  report(message: string, error: unknown, requestId?: string): void;
  readonly observer: Observer;
}

export const systemDependencies: Dependencies = {
  now: () => Date.now(),
  monotonicNow: () => Math.floor(performance.now()),
  newId: (kind) => `${kind}_${randomBytes(12).toString("hex")}`,
  report: () => {},
  observer: noopObserver,
};

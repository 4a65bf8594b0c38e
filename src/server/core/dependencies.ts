/** What every module depends on: time, identity and where faults are reported. Fixing them makes a run repeatable. */
import { randomBytes } from "node:crypto";
import { noopObserver, type Observer } from "./observer.ts";

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

export interface Dependencies {
  /** The current time, unix ms. */
  now(): number;
  /** Whole milliseconds since some fixed moment: for spans of time, which a wall clock that is set or fixed would distort. */
  monotonicNow(): number;
  /** Creates an id that begins with its kind, such as `sess_...`. */
  newId(kind: IdKind): string;
  /** Reports a fault that a client only sees as "Internal error", with the id of its request if it had one. */
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

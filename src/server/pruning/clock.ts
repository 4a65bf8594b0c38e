/**
 * Keeps a server from pruning by a clock that was set forward, which would make everything old. A server that was off for long sees
 * the same, so that it prunes again after a day in which an operator can correct the clock.
 */
import { DAY_MS } from "../../shared/time-units.ts";
import type { Service } from "../db/service.ts";
import { lockPruningState, updatePruningState } from "./state-queries.ts";

/** The most that a clock moves on while nobody looks at it, ms. A server looks every few minutes. */
const MAX_STEP_MS = DAY_MS;
/** How long nothing is removed after a longer step, ms. */
export const HOLD_MS = DAY_MS;

/**
 * Looks at the clock, and returns until when nothing may be removed, unix ms; null if something may. `elapsedMs` is the time since the
 * last look of this process. Reports a hold when it begins.
 */
export async function checkClock(
  { store, now, report }: Pick<Service, "store" | "now" | "report">,
  elapsedMs: number,
): Promise<number | null> {
  const time = now();
  const { step, heldUntil } = await store.write(async (db) => {
    const { seen_at, last_pruned_at, held_until } = await lockPruningState(db);
    const step = time - (seen_at ?? last_pruned_at ?? time) - elapsedMs;
    const heldUntil = step > MAX_STEP_MS ? time + HOLD_MS : keepHold(held_until, time);
    await updatePruningState(db, { seen_at: time, held_until: heldUntil });
    return { step, heldUntil };
  });
  if (step > MAX_STEP_MS) report("retention", describeStep(step, time + HOLD_MS));
  return heldUntil;
}

/** A hold that ends later than it can was begun before the clock was set back, and is over. */
const keepHold = (heldUntil: number | null, time: number): number | null =>
  heldUntil === null || heldUntil <= time || heldUntil > time + HOLD_MS ? null : heldUntil;

function describeStep(step: number, until: number): Error {
  const days = Math.floor(step / DAY_MS);
  return new Error(
    `The clock has moved on by ${days === 1 ? "1 day" : `${days} days`} since a server last looked at it. Nothing is removed until ` +
      `${new Date(until).toISOString()}: correct the clock, or run \`playtest server prune\` if it is right`,
  );
}

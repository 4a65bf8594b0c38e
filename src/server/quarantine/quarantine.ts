/** Takes sessions out of every answer, and brings them back. */
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { moveSession, type Quarantine } from "./move-session.ts";
import { findMoved, type QuarantineFilter } from "./quarantine-queries.ts";

/** Sessions that are found at once. Each is moved in a transaction of its own, so that a server keeps running. */
const PAGE_SIZE = 500;

interface MoveOptions {
  readonly gameId: string;
  readonly filter: QuarantineFilter;
  /** The quarantine to move sessions into; null to release them. */
  readonly quarantine: Quarantine | null;
  /** Runs in the transaction of the first session. */
  onFirst(db: Db): Promise<void>;
  /** Called before each session, with the number of those that were moved. */
  onStep(moved: number): Promise<void>;
}

/** Moves the sessions that match, one after another, and returns how many. If it is interrupted, another run continues. */
export async function moveSessions(
  service: Pick<Service, "store" | "now">,
  { gameId, filter, quarantine, onFirst, onStep }: MoveOptions,
): Promise<number> {
  const { readDb } = service.store;
  const move = quarantine ? "quarantine" : "release";
  let moved = 0;
  let after = "";
  for (;;) {
    const ids = await findMoved(readDb, gameId, move, filter, { after, limit: PAGE_SIZE });
    for (const id of ids) {
      await onStep(moved);
      const onMoved = async (db: Db) => {
        if (moved === 0) await onFirst(db);
      };
      if (await moveSession(service, { gameId, id }, quarantine, onMoved)) moved += 1;
    }
    after = ids.at(-1) ?? "";
    if (ids.length < PAGE_SIZE) return moved;
  }
}

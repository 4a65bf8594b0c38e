/** Adds events to the outbox of the webhooks that want them, in the transaction that causes the events. */

import { renderBody } from "../../webhooks/body.ts";
import type { Dependencies } from "../core/dependencies.ts";
import type { Db } from "../db/schema.ts";
import { findGame } from "../games/game-queries.ts";
import { findBurstEnd } from "./bursts.ts";
import { deleteStatuses, insertDelivery } from "./delivery-queries.ts";
import type { GameEvent } from "./events.ts";
import { toMessage } from "./events.ts";
import { findSubscribers } from "./notification-queries.ts";

/** Where an event happened. */
interface EventScope {
  readonly account_id: string;
  readonly game_id: string;
}

/** The webhook that an event is for. */
export interface Addressee {
  readonly webhookId: string;
  /** What follows its URL; null for nothing. */
  readonly path: string | null;
  /** The gate that the event ends. It then has whether the event was delivered. */
  readonly gateId?: string;
  /** Whether no other webhook gets the event. */
  readonly isOnly?: true;
}

/**
 * Adds an event to the outbox of each webhook that wants it, and of its addressee. Call `wakeDeliveries` after the transaction if this returns
 * true. Events without a webhook are never built, because most accounts have none.
 */
export async function queueEvent(
  db: Db,
  { now, newId, observer }: Pick<Dependencies, "now" | "newId" | "observer">,
  { account_id, game_id }: EventScope,
  type: GameEvent["type"],
  createEvent: () => GameEvent,
  to?: Addressee,
): Promise<boolean> {
  const found = await findSubscribers(db, { accountId: account_id, gameId: game_id, type }, to?.webhookId);
  const webhooks = to?.isOnly ? found.filter(({ id }) => id === to.webhookId) : found;
  const game = webhooks.length > 0 ? await findGame(db, account_id, game_id) : undefined;
  if (!game) return false;
  const time = now();
  const event = createEvent();
  const message = toMessage(event, game, time);
  const common = {
    id: newId("evt"),
    game_id,
    type,
    session_id: event.sessionId,
    player_id: event.playerId,
    created_at: time,
    replayed_at: null,
    attempts: 0,
  };
  for (const webhook of webhooks) {
    const { id, format } = webhook;
    const body = renderBody(format, message);
    const path = to?.webhookId === id ? to.path : null;
    if (path !== null) await deleteStatuses(db, id, path, body);
    const due_at = findBurstEnd(webhook, common, time) ?? time;
    const gate_id = to?.webhookId === id ? (to.gateId ?? null) : null;
    const error = await insertDelivery(db, { ...common, webhook_id: id, path, gate_id, due_at, body });
    if (error === null) continue;
    const attempt = { attempt: 0, status: null, failure: null, error, ms: 0 };
    observer.delivery({ webhookId: id, deliveryId: common.id, type, result: "dropped", ...attempt });
  }
  return true;
}

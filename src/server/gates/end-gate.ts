/** Ends an open gate: with a verdict, or because an operator closes it. */
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { findRow } from "../db/rows.ts";
import type { Db, GameRow, GateRow } from "../db/schema.ts";
import { findGame } from "../games/game-queries.ts";
import { type GameEvent, gateClosed } from "../notifications/events.ts";
import { queueEvent } from "../notifications/outbox.ts";
import { updateOpenGate } from "./gate-queries.ts";
import { findReceiver, toAddressee } from "./receiver.ts";

type Recorder = Pick<Dependencies, "now" | "newId" | "observer">;

/**
 * Ends an open gate, and queues the event for its receiver, also for other webhooks that want it. Returns whether an event was
 * queued: not if another server has ended the gate.
 */
export async function endGate(
  db: Db,
  service: Recorder,
  gate: GateRow,
  { answer, ...end }: Pick<GateRow, "a" | "state"> & { readonly answer: string },
  createEvent: (game: GameRow) => GameEvent,
): Promise<boolean> {
  const game = await findGame(db, gate.account_id, gate.game_id);
  const webhook = await findReceiver(db, gate, gate.receiver);
  const ended: Partial<GateRow> = {
    ...{ ...end, testers: gate.testers, decided_at: service.now() },
    ...(webhook === null
      ? { delivery: "dropped", answer: `${answer} (not sent: there is no receiver ${gate.receiver})` }
      : { delivery: "waiting", answer }),
  };
  if (!(await updateOpenGate(db, gate, ended)) || !game) return false;
  const to = webhook === null ? undefined : { ...toAddressee(webhook, gate), gateId: gate.id };
  const event = createEvent(game);
  return await queueEvent(db, service, gate, event.type, () => event, to);
}

const CLOSED = "CLOSED: by an operator, without a verdict";

/** Closes an open gate of an account. Throws `not_found`, and `conflict` if it is not open. */
export async function closeGate(db: Db, service: Recorder, accountId: string, id: string): Promise<GateRow> {
  const gate = await findRow(db, "gates", { account_id: accountId, id });
  if (!gate)
    throw new ServiceError("not_found", {
      message: `Gate ${JSON.stringify(id)} not found`,
      hint: "Run `playtest gate list --state open --wide` to list open gates and their ids.",
    });
  if (gate.state !== "open")
    throw new ServiceError("conflict", {
      message: `Gate ${id} is not open: it is ${gate.state}`,
      hint: "Run `playtest admin webhooks replay <id> --since <time>` to send a verdict again.",
    });
  const end = { a: gate.a, state: "closed", answer: CLOSED } as const;
  await endGate(db, service, gate, end, (game) => gateClosed(gate, game, CLOSED));
  return (await findRow(db, "gates", { account_id: accountId, id })) ?? gate;
}

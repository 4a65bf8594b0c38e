/**
 * Gathers bursts of events for chat channels: the first event of a kind is sent at once, and those of the next minute become one
 * message, so that nobody who has the key of a game can flood a channel. Receivers of JSON are programs, and get every event.
 */
import { renderBody } from "../../webhooks/body.ts";
import { isChat, type WebhookMessage } from "../../webhooks/message.ts";
import type { Db, GameRow, WebhookDeliveryRow, WebhookRow } from "../db/schema.ts";
import { findGame } from "../games/game-queries.ts";
import type { WebhookEvent } from "./events.ts";
import { BURST_MS } from "./limits.ts";

type Kind = Pick<WebhookDeliveryRow, "game_id" | "type">;

/** Whether events of a kind are gathered. Only who has a key of CI can cause verdicts of gates, and each says something else. */
export const isGathered = (format: WebhookRow["format"], type: string): boolean =>
  isChat(format) && !type.startsWith("gate.");

/** When the next event of a kind may be sent, unix ms; null if at once. */
export function findBurstEnd(
  { format, bursts }: Pick<WebhookRow, "format" | "bursts">,
  kind: Kind,
  now: number,
): number | null {
  if (!isGathered(format, kind.type)) return null;
  const end = readBursts(bursts, now)[toBurstKey(kind)];
  return end === undefined || end <= now ? null : end;
}

/** The bursts of a webhook after a message of a kind was sent now. */
export function startBurst({ bursts }: Pick<WebhookRow, "bursts">, kind: Kind, now: number): string {
  return JSON.stringify({ ...readBursts(bursts, now), [toBurstKey(kind)]: now + BURST_MS });
}

const toBurstKey = ({ type, game_id }: Kind) => `${type} ${game_id}`;

/** The bursts that have not ended. A later end than possible was stored before the clock was set back. */
function readBursts(json: string, now: number): Record<string, number> {
  const bursts = Object.entries(JSON.parse(json) as Record<string, number>);
  return Object.fromEntries(bursts.filter(([, end]) => end > now && end <= now + BURST_MS));
}

/**
 * Turns waiting events of a kind into one message, oldest first. It contains no words of players, so it no longer belongs to a
 * session or player. Returns null if there is only one event, which is sent as it is.
 */
export async function gatherEvents(
  db: Db,
  { account_id, format }: WebhookRow,
  events: readonly Pick<WebhookDeliveryRow, "game_id" | "type" | "created_at">[],
  now: number,
): Promise<Pick<WebhookDeliveryRow, "body" | "session_id" | "player_id"> | null> {
  const [first] = events;
  const game = first && events.length > 1 ? await findGame(db, account_id, first.game_id) : undefined;
  if (!first || !game) return null;
  const message = describeBurst(first.type as WebhookEvent, events.length, game, {
    since: first.created_at,
    now,
  });
  return { body: renderBody(format, message), session_id: null, player_id: null };
}

const texts: Readonly<Record<WebhookEvent, { readonly title: string; readonly command: string }>> = {
  "session.analyzed": { title: "sessions analyzed", command: "sessions list" },
  "session.failed": { title: "failed analyses", command: "sessions list --status failed" },
  "bug-report": { title: "bug reports", command: "bug-reports list" },
  "experiment.decided": { title: "experiments decided", command: "experiments list" },
  "gate.decided": { title: "gates decided", command: "gate list" },
};

/** Older events than this have waited for a receiver or a budget, ms. */
const MAX_RECENT_MS = 2 * BURST_MS;

function describeBurst(
  type: WebhookEvent,
  count: number,
  { slug, name }: GameRow,
  { since, now }: { readonly since: number; readonly now: number },
): WebhookMessage {
  const { title, command } = texts[type];
  const isRecent = now - since < MAX_RECENT_MS;
  const time = isRecent ? "in the last minute" : `since ${new Date(since).toISOString().slice(0, 16)}Z`;
  return {
    type,
    timestamp: now,
    data: {},
    title: `${count} ${title} ${time}`,
    lines: [name],
    command: `playtest ${command} --game ${slug}`,
    tone: type === "bug-report" || type === "session.failed" ? "bad" : "neutral",
  };
}

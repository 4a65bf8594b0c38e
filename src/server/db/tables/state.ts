/** The state of servers and of the database itself: erasures, pruning, limits, and what waits to be sent or shown. */
import { anyObject, anyObjects, defineTable, integer, json, text } from "./define.ts";

/** How a message to a webhook ended: it was accepted or given up. */
export type DeliveryResult = "delivered" | "dropped";

/** What a tombstone is about. */
export type TombstoneKind =
  | "session"
  | "client_session"
  | "creation"
  | "device"
  | "handle"
  | "email"
  | "game";

/** Something that was erased. Late telemetry about it is refused, and an older archive does not bring it back. */
export const tombstones = defineTable({
  key: ["kind", "hash"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    kind: text("studio").as<TombstoneKind>(),
    /** Keyed hash of the game and of what was erased. */
    hash: text("studio"),
    erased_at: integer("studio"),
  },
});

/** An erasure that is not finished, so that another run can continue it. Its last step deletes the row. */
export const erasures = defineTable({
  key: ["account_id", "id"],
  place: "coordinator",
  erasure: "temporary",
  personal: {
    purpose: "The names of a tester who is being erased, so that an interrupted erasure can continue.",
    kept: "up to the end of the erasure",
  },
  columns: {
    account_id: text("studio"),
    id: text("studio"),
    started_at: integer("studio"),
    /** Whom and what to erase. */
    plan: json("tester", anyObjects),
    /** The number of rows that were erased so far, by table. */
    counts: json("studio", anyObject),
  },
});

/** The state of pruning, in one row: the policy, who prunes, and what was pruned. */
export const retentionState = defineTable({
  key: ["id"],
  place: "coordinator",
  erasure: "clear",
  personal: {
    purpose: "The session that pruning is working on, so that an interrupted run can continue.",
    kept: "up to the next step of pruning",
  },
  columns: {
    /** Always 1. */
    id: integer("studio"),
    /** The policy of the server that was started last, ms; null to keep everything. */
    keep_events_ms: integer("studio").nullable(),
    keep_sessions_ms: integer("studio").nullable(),
    /** The run that is pruning; null if none is. */
    holder: text("studio").nullable().ephemeral(),
    /** Changes with every step of the holder. If it stops changing, the process of the holder has ended. */
    turn: integer("studio"),
    /** The session of which only some events have been deleted so far; null if there is none. */
    game_id: text("tester").nullable(),
    session_id: text("tester").nullable().finds("session"),
    /** Totals since the database was created. */
    pruned_sessions: integer("studio"),
    pruned_events: integer("studio"),
    deleted_sessions: integer("studio"),
    /** When the last complete run ended, unix ms; null before the first one. */
    last_pruned_at: integer("studio").nullable(),
    /** The time when a server last looked at the clock, unix ms; null before the first one. */
    seen_at: integer("studio").nullable().ephemeral(),
    /** Until when servers remove nothing, because the clock was set forward, unix ms; null if they may. */
    held_until: integer("studio").nullable().ephemeral(),
  },
});

/** The version of the program that last updated the schema. The only row has the id 1. */
export const programVersions = defineTable({
  key: ["id"],
  place: "coordinator",
  erasure: "keep",
  archived: false,
  columns: {
    id: integer("studio"),
    version: text("studio"),
  },
});

/** Somebody who is signed in to the console, with a management key. */
export const consoleSessions = defineTable({
  key: ["hash"],
  place: "coordinator",
  erasure: "keep",
  archived: false,
  columns: {
    /** SHA-256 of the token in the cookie, in hexadecimal. */
    hash: text("studio"),
    /** The key that was used to sign in. The session ends when the key does. */
    key_hash: text("studio"),
    created_at: integer("studio"),
    /** Unix ms. */
    expires_at: integer("studio"),
  },
});

/** Windows of rate limits. An erasure of a tester deletes those of devices, and all expire after a minute. */
export const rateLimits = defineTable({
  key: ["key"],
  place: "coordinator",
  erasure: "temporary",
  personal: {
    purpose: "How many requests a device or address has sent, to limit them.",
    kept: "up to 2 hours",
  },
  archived: false,
  columns: {
    key: text("tester"),
    points: integer("studio"),
    expire: integer("studio").nullable(),
  },
});

/** What an ingest key, game or account has used of a budget on a UTC day. */
export const budgetUses = defineTable({
  key: ["subject", "day", "budget"],
  place: "coordinator",
  erasure: "keep",
  archived: false,
  columns: {
    subject: text("studio"),
    /** The start of the day, unix ms. */
    day: integer("studio"),
    budget: text("studio"),
    used: integer("studio"),
  },
});

/** One request with stored events, or what was refused of one, for the live tail. Kept for some minutes. The live tail counts what arrived, so an erasure keeps the rows without what identifies a session or device. */
export const arrivals = defineTable({
  key: ["account_id", "id"],
  place: "coordinator",
  erasure: "clear",
  personal: {
    purpose: "What arrived and what was refused, for the live tail.",
    kept: "up to 10 minutes, or until further telemetry arrives",
  },
  archived: false,
  columns: {
    account_id: text("studio"),
    /** Number within the account, in the order of commit. */
    id: integer("studio"),
    /** Time of receipt, unix ms. */
    at: integer("studio"),
    game_id: text("tester").nullable(),
    /** The session with the stored events; null for refusals, and for arrivals that only count. */
    session_id: text("tester").nullable().finds("session"),
    seq: integer("tester").nullable(),
    /** Number of events, or of refusals. */
    entries: integer("studio"),
    /** Sum of `entries` over all arrivals of the account up to this one. */
    total: integer("studio"),
    /** What was refused; null if events were stored. */
    refusals: json("tester", anyObjects).nullable(),
  },
});

/** Refused requests and rejected events, by the UTC hour (hours since 1970). */
export const refusalCounts = defineTable({
  key: ["account_id", "hour", "reason"],
  place: "coordinator",
  erasure: "keep",
  archived: false,
  columns: {
    account_id: text("studio"),
    hour: integer("studio"),
    reason: text("studio"),
    refusals: integer("studio"),
  },
});

/** An event for a webhook. The bodies contain texts of the session. */
const deliveryColumns = {
  webhook_id: text("studio"),
  /** The same for all webhooks that the event is sent to. */
  id: text("tester"),
  game_id: text("studio"),
  session_id: text("tester").nullable().finds("session"),
  /** The player who sent the bug report in the body; null for other events, and if the report names no player. */
  player_id: text("tester").nullable().finds("handle", "device"),
  type: text("studio"),
  /** What follows the URL of the webhook; null for nothing. */
  path: text("studio").nullable(),
  body: text("tester"),
  /** The gate whose verdict it is, if the webhook is its receiver; null for other events. */
  gate_id: text("studio").nullable(),
  created_at: integer("tester"),
};

/** An event in the outbox of a webhook, until it is accepted or given up. */
export const webhookDeliveries = defineTable({
  key: ["webhook_id", "id"],
  place: "coordinator",
  erasure: "delete",
  personal: {
    purpose: "A message that waits to be sent to a webhook.",
    kept: "up to 8 days",
  },
  archived: false,
  columns: {
    ...deliveryColumns,
    /** When an operator last wanted it to be sent again; null if it waits since its creation. */
    replayed_at: integer("tester").nullable(),
    /** Time of the next attempt. */
    due_at: integer("tester"),
    /** Number of attempts that were started. */
    attempts: integer("tester"),
  },
});

/** An event that was accepted or given up, which can be sent again. A separate table, because servers of earlier versions send all rows of the outbox. */
export const keptDeliveries = defineTable({
  key: ["webhook_id", "id"],
  place: "coordinator",
  erasure: "delete",
  personal: {
    purpose:
      "A message that was sent to a webhook or given up, to send it again if the receiver has lost it.",
    kept: "up to 7 days",
  },
  archived: false,
  columns: { ...deliveryColumns, result: text("tester").as<DeliveryResult>() },
});

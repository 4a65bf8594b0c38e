/** Accounts with their keys, games and webhooks. */
import * as z from "zod";
import type { ApiKeyKind } from "../../../contract/define.ts";
import type { BodyFormat } from "../../../webhooks/message.ts";
import { count, defineTable, integer, json, text } from "./define.ts";

export const accounts = defineTable({
  key: ["id"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    id: text("studio"),
    name: text("studio"),
    created_at: integer("studio"),
  },
});

export const keys = defineTable({
  key: ["hash"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    /** SHA-256 of the key, hex: the key itself is never stored. */
    hash: text("studio"),
    account_id: text("studio"),
    kind: text("studio").as<ApiKeyKind>(),
    /** The game an ingest key or CI key is bound to; null for every game of the account. */
    game_id: text("studio").nullable(),
    created_at: integer("studio"),
    /** The name of the key. The management key without a name is the account's own, which `rotate` replaces. */
    name: text("studio").nullable(),
    /** The environment that an ingest key is limited to; null for all environments. */
    environment: text("studio").nullable(),
    /** When the key stops working, unix ms; null for never. */
    expires_at: integer("studio").nullable(),
    /** The start of the UTC day of the last use, unix ms; null if it was never used. */
    last_used_at: integer("studio").nullable(),
  },
});

/** A random secret of the database, by its purpose. */
export const secrets = defineTable({
  key: ["name"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    name: text("studio"),
    value: text("studio"),
  },
});

/** An administrative change. A target that is a tester or a session is a keyed hash. */
export const audit = defineTable({
  key: ["account_id", "id"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    /** The account that was changed; empty for the whole database. */
    account_id: text("studio"),
    id: text("studio"),
    at: integer("studio"),
    /** The command, such as `keys.revoke`. */
    action: text("studio"),
    actor: text("studio").as<"operator" | "service" | "ci">(),
    /** An id that identifies no person, or a keyed hash. */
    target: text("studio").nullable(),
    /** JSON. */
    detail: text("studio"),
    /** 1 after a server has written the change to its log. */
    logged: integer("studio"),
  },
});

export const games = defineTable({
  key: ["id"],
  place: "everywhere",
  erasure: "keep",
  columns: {
    id: text("studio"),
    account_id: text("studio"),
    slug: text("studio"),
    name: text("studio"),
    /** JSON: the settings that SDKs read; null for the defaults. */
    sdk_settings: text("studio").nullable(),
    created_at: integer("studio"),
    /** How often sessions of the game were deleted: what servers have cached may still include them. */
    deletions: integer("studio"),
  },
});

export const providers = defineTable({
  key: ["account_id", "kind"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    account_id: text("studio"),
    kind: text("studio").as<"chat" | "embedding">(),
    base_url: text("studio"),
    model: text("studio"),
    /** In plain text, because it must be sent to the provider. Never shown. */
    api_key: text("studio"),
    /** Maximum total duration of one request to the model, ms. */
    timeout_ms: integer("studio"),
    updated_at: integer("studio"),
  },
});

/** The limits of budgets that operators have set. */
export const budgetLimits = defineTable({
  key: ["subject", "budget"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    /** An ingest key, game or account, such as `game:game_1`. */
    subject: text("studio"),
    budget: text("studio"),
    /** The limit per UTC day; null for none. */
    max_use: integer("studio").nullable(),
  },
});

/** A URL that events of an account are sent to. */
export const webhooks = defineTable({
  key: ["account_id", "id"],
  place: "coordinator",
  erasure: "keep",
  columns: {
    account_id: text("studio"),
    id: text("studio"),
    /** The game whose events are sent; null for all games of the account. */
    game_id: text("studio").nullable(),
    /** It may contain a secret, so it is only shown to the operator. */
    url: text("studio"),
    format: text("studio").as<BodyFormat>(),
    /** The names of the events, separated by spaces. */
    events: text("studio"),
    /** In plain text, because it signs requests. Shown once. */
    secret: text("studio"),
    /** The secret before, which also signs requests until the time, unix ms; null without one. */
    old_secret: text("studio").nullable(),
    old_secret_until: integer("studio").nullable(),
    /** What gates call it; null if it has no name. */
    name: text("studio").nullable(),
    /** The token of its requests, encrypted with a key that is not in the database; null without one. Never shown. */
    token: text("studio").nullable(),
    created_at: integer("studio"),
    /** When the lease of the server that sends to it expires, unix ms; null if no server does. */
    lease: integer("studio").nullable().ephemeral(),
    /** Number of events that were accepted, and that were given up. */
    delivered: integer("studio"),
    dropped: integer("studio"),
    /** Time of the last attempt; null before the first one. */
    attempted_at: integer("studio").nullable(),
    /** Time since which every attempt failed; null if the last one succeeded. */
    failing_since: integer("studio").nullable(),
    /** Why the last attempt failed; null if it succeeded. */
    last_error: text("studio").nullable(),
    /** Events that were created up to then, unix ms, may no longer be kept; null if all are. */
    kept_since: integer("studio").nullable(),
    /** JSON: when each kind of failure was last seen, unix ms, by kind. A kind is removed once it has ended. */
    failures: json("studio", z.record(z.string(), count)),
    /** JSON: until when events are gathered into one message, unix ms, by kind and game. */
    bursts: json("studio", z.record(z.string(), count)),
  },
});

/** What testers have and send besides telemetry: keys, invites, handles, answers, bug reports and variants. */
import * as z from "zod";
import type { PlaytestKeyStatus } from "../../../contract/batches.ts";
import { anyObject, defineTable, integer, json, number, text } from "./define.ts";

const answers = z.array(
  z.looseObject({
    id: z.string(),
    fieldId: z.string(),
    label: z.string(),
    kind: z.string(),
    value: z.string(),
  }),
);

/** A redeemed key stays redeemed: it cannot be given to anybody else. */
export const playtestKeys = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "clear",
  personal: {
    purpose: "Who redeemed a playtest key, when and from where, so that a key is given to one person only.",
    kept: "erasure",
  },
  columns: {
    game_id: text("studio"),
    id: text("studio").finds("playtestKey"),
    batch_id: text("studio"),
    /** SHA-256 of the key, hex: the key itself is never stored. */
    fingerprint: text("studio"),
    /** The stored status. `expired` is derived from the batch's end date. */
    status: text("studio").as<Exclude<PlaytestKeyStatus, "expired">>(),
    redeemed_at: integer("tester").nullable(),
    redeemed_by_email: text("tester").nullable().finds("email"),
    redeemed_by_handle: text("tester").nullable().finds("handle"),
    redemption_country: text("tester").nullable(),
    redemption_user_agent: text("tester").nullable(),
    redemption_ip: text("tester").nullable(),
    tester_invite_id: text("tester").nullable(),
    created_at: integer("studio"),
  },
});

export const testerInvites = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "The address to which an invite was sent, and whether it was opened and redeemed.",
    kept: "erasure",
  },
  columns: {
    game_id: text("studio"),
    id: text("tester").finds("invite"),
    batch_id: text("studio"),
    email: text("tester").finds("email"),
    personal_note: text("tester").nullable(),
    /** SHA-256 of the redemption token, hex. */
    token_hash: text("tester"),
    sent_at: integer("tester").nullable(),
    opened_at: integer("tester").nullable(),
    redeemed_at: integer("tester").nullable(),
  },
});

export const testerHandles = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "The name under which a tester plays, and the device that it is linked to.",
    kept: "erasure",
  },
  columns: {
    game_id: text("studio"),
    id: text("tester"),
    handle: text("tester").finds("handle"),
    key_id: text("studio").nullable(),
    device_id: text("tester").nullable().finds("device"),
    claimed_at: integer("tester").nullable(),
    /** SHA-256 of the claim token, hex; null if none was issued. */
    claim_token_hash: text("tester").nullable(),
    created_at: integer("tester"),
  },
});

/** A session that was tagged with a variant of an experiment of its game. */
export const exposures = defineTable({
  key: ["game_id", "experiment_id", "session_id", "variant_key"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "Which variant of an experiment a session had, to compare the variants.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    experiment_id: text("studio"),
    session_id: text("tester").finds("session"),
    variant_key: text("studio"),
  },
});

export const feedbackSubmissions = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "What a tester answered in a feedback form.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    id: text("tester"),
    form_id: text("studio"),
    session_id: text("tester").finds("session"),
    /** The client's id of the request. A repeated request returns the same submission. */
    request_id: text("tester"),
    /** SHA-256 of the request, hex: distinguishes a repeat from a different request with the same id. */
    content_hash: text("tester"),
    /** The form's name when it was filled in. */
    form_name: text("studio"),
    /** The answers, each with the label and kind that its field had at the time. */
    responses: json("tester", answers),
    /** When the form was shown and sent, in seconds since the start of the session; null if unknown. */
    asked_at_sec: number("tester").nullable(),
    answered_at_sec: number("tester").nullable(),
    submitted_at: integer("tester"),
  },
});

/** A bug report that a player sent. */
export const bugReports = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "What a player reported as a bug, with the device it happened on.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    id: text("tester"),
    session_id: text("tester").nullable().finds("session"),
    idempotency_key: text("tester"),
    /** SHA-256 of the request, hex: distinguishes a repeat from a different request with the same key. */
    content_hash: text("tester"),
    title: text("tester"),
    description: text("tester"),
    severity: text("tester"),
    player_id: text("tester").nullable().finds("handle", "device"),
    build: text("studio"),
    environment: text("studio"),
    platform: text("tester"),
    /** Further fields about the device. */
    device: json("tester", anyObject),
    created_at: integer("tester"),
  },
});

/** The session that a chat thread currently belongs to. */
export const chatThreads = defineTable({
  key: ["game_id", "channel_id", "thread_id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "The chat thread that a session belongs to, so that later messages join it.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    channel_id: text("tester"),
    /** Empty for the channel itself. */
    thread_id: text("tester"),
    session_id: text("tester").finds("session"),
    /** When the webhook was last called for the thread. */
    called_at: integer("tester"),
  },
});

/** What the analysis found in sessions, and summaries and model answers about them. */
import * as z from "zod";
import type { ConfidenceLabel } from "../../../contract/experiments.ts";
import type { InsightType, Sentiment } from "../../../contract/insights.ts";
import { anyObject, anyObjects, bytes, defineTable, integer, json, number, text } from "./define.ts";

export const insights = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "What the analysis found in a session.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    id: text("tester"),
    account_id: text("studio"),
    session_id: text("tester").finds("session"),
    build: text("studio"),
    environment: text("studio"),
    tester: text("tester"),
    type: text("studio").as<InsightType>(),
    sentiment: text("tester").as<Sentiment>(),
    confidence: number("tester"),
    tag: text("tester"),
    title: text("tester"),
    evidence: text("tester"),
    /** The claims behind the words; empty for findings of an AI model and of versions without claims. */
    claims: json("tester", anyObjects),
    created_at: integer("tester"),
    /** Active time of the session when the finding had shown; null if it is not about one moment, or was found before this column existed. */
    after_ms: integer("tester").nullable(),
  },
});

/** A crash event that reports the crash of an earlier session of the same device. */
export const crashReports = defineTable({
  key: ["game_id", "session_id", "event_id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose:
      "A crash that the next session of the device reported, to count it for the session that crashed.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    /** The session that contains the event. */
    session_id: text("tester").finds("session"),
    event_id: text("tester"),
    /** The timestamp of the event, unix ms. */
    reported_at: integer("tester"),
    name: text("tester"),
    /** The short fields of the event's data. */
    data: json("tester", anyObject),
    device_id: text("tester"),
    /** The session that crashed, by its id or client session id, as the client named it. */
    crashed_ref: text("tester"),
    /** The session that crashed; null if the service does not have it. */
    crashed_session_id: text("tester").nullable(),
  },
});

export const roomTimes = defineTable({
  key: ["game_id", "session_id", "room"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "How long a session spent in a room, and how it went there, to compare rooms and builds.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    session_id: text("tester").finds("session"),
    room: text("tester"),
    build: text("studio"),
    environment: text("studio"),
    /** Active time until the first success, or in total if there is none. */
    ms: integer("tester"),
    /** Active time in the longest stretch of play up to a success. */
    longest_ms: integer("tester"),
    recorded_at: integer("tester"),
    /** The outcome of the session in the room, see `room-outcomes.ts`: times in ms, and 1 or 0. Null if it was analyzed before the column existed. */
    after_ms: integer("tester").nullable(),
    active_ms: integer("tester").nullable(),
    completed: integer("tester").nullable(),
    failed: integer("tester").nullable(),
    quit: integer("tester").nullable(),
    gave_up: integer("tester").nullable(),
  },
});

/** The build whose times in a room the sessions of a game and environment are compared with. */
export const roomReferences = defineTable({
  key: ["game_id", "environment", "room"],
  place: "game",
  erasure: "derive",
  personal: {
    purpose: "The build with whose times in a room sessions are compared.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    environment: text("studio"),
    room: text("aggregate"),
    /** Null as long as no build has enough sessions in the room. */
    build: text("studio").nullable(),
    /** When that build had enough sessions in the room, by their recording, unix ms. */
    first_at: integer("aggregate").nullable(),
    /** Hash of the times that count. */
    digest: text("aggregate").nullable(),
    /** Sessions with a higher id must still be compared with the new times, up to the last one; null if all were. */
    requeue_after: text("aggregate").nullable(),
  },
});

export const buildSummaries = defineTable({
  key: ["game_id", "build", "environment"],
  place: "game",
  erasure: "derive",
  personal: {
    purpose: "A text about the sessions of a build.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    build: text("studio"),
    environment: text("studio"),
    narrative: text("aggregate"),
    generated_at: integer("aggregate"),
    /** The version of the rules that wrote it: 0 if what it is about has changed since; null if a model wrote it, or if it is older than this column. */
    rules_version: integer("studio").nullable(),
  },
});

export const testerSummaries = defineTable({
  key: ["game_id", "device_id", "environment"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "A text about the sessions of a device.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    device_id: text("tester").finds("device"),
    environment: text("studio"),
    narrative: text("tester"),
    generated_at: integer("tester"),
    /** See build summaries. */
    rules_version: integer("studio").nullable(),
  },
});

/** A build with new results, whose summary and whose testers' summaries are to be written. */
export const summaryQueue = defineTable({
  key: ["game_id", "build", "environment"],
  place: "game",
  erasure: "keep",
  archived: false,
  columns: {
    game_id: text("studio"),
    build: text("studio"),
    environment: text("studio"),
    /** When the first of the new results was stored, unix ms. */
    queued_at: integer("studio"),
    /** When they are to be written, or when the lease of the server that writes them expires, unix ms. */
    due_at: integer("studio"),
    /** Whether the summary of the build is written, and only those of testers are not: 1 or 0. */
    is_written: integer("studio"),
  },
});

export const experimentDigests = defineTable({
  key: ["game_id", "experiment_id"],
  place: "game",
  erasure: "derive",
  personal: {
    purpose: "A text about the sessions of an experiment.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    experiment_id: text("studio"),
    status: text("aggregate").as<"ok" | "degraded">(),
    confidence_label: text("aggregate").as<ConfidenceLabel>(),
    /** The inner digest. */
    digest: json("aggregate", anyObject),
    generated_at: integer("aggregate"),
  },
});

/** Cannot be traced to testers, so an erasure empties the table. */
export const embeddings = defineTable({
  key: ["account_id", "hash"],
  place: "account",
  erasure: "derive",
  personal: {
    purpose: "Vectors of texts, to group similar ones without asking a model again.",
    kept: "sessions",
  },
  columns: {
    account_id: text("studio"),
    /** SHA-256 of URL, model and text, hex. */
    hash: text("aggregate"),
    /** Float64, little-endian. */
    vector: bytes("aggregate", "numbers"),
    created_at: integer("aggregate"),
  },
});

/** A cached model response about a game: suggestions, or the label of an archetype. Cannot be traced to testers, so an erasure empties the table. */
export const suggestionAnswers = defineTable({
  key: ["game_id", "hash"],
  place: "game",
  erasure: "derive",
  personal: {
    purpose: "Answers of a model about sessions, so that it is not asked again.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    /** SHA-256 of the model and its complete input, hex. */
    hash: text("aggregate"),
    /** The suggestions, or the label. */
    answer: json("aggregate", z.unknown()),
    created_at: integer("aggregate"),
  },
});

/** Sessions with their events and positions. */
import * as z from "zod";
import { sessionPerformance } from "../../../contract/build-facts.ts";
import { type SessionSource, type SessionStatus, session } from "../../../contract/sessions.ts";
import { anyObject, bytes, count, defineTable, integer, json, number, text } from "./define.ts";

export const sessions = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose:
      "Who played when, where and on which device, and what the play amounts to: all answers about sessions, testers and builds.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    id: text("tester").finds("session"),
    account_id: text("studio"),
    environment: text("studio"),
    build: text("studio"),
    source: text("tester").as<SessionSource>(),
    status: text("tester").as<SessionStatus>(),
    title: text("tester"),
    /** Whether the title was sent, and not made by the service: 1 or 0; null for sessions older than this column. */
    title_sent: integer("studio").nullable(),
    tester_handle: text("tester").nullable(),
    device_id: text("tester").nullable(),
    /** The id that counts as one tester: the device id, or the session id if no device is known. */
    tester: text("tester"),
    /** The id that the client chose; null if it sent none, or one that the session of another device has. */
    client_session_id: text("tester").nullable(),
    /** Hash of what identifies the request that created the session; null with a client session id, or if nothing does. */
    creation_hash: text("tester").nullable(),
    country: text("tester").nullable(),
    region: text("tester").nullable(),
    city: text("tester").nullable(),
    recorded_at: integer("tester"),
    /** When the service first received the session, by its own clock; null for sessions older than this column. */
    received_at: integer("tester").nullable(),
    /**
     * Keyed hash of the network that created the session and of the UTC day, so that hashes of different days cannot be compared;
     * null if it was imported, or is older than this column.
     */
    address_hash: text("tester").nullable(),
    /** The quarantine that the session is in, and since when, unix ms; null if it is in none, see `quarantined-ids.ts`. */
    quarantine_id: text("studio").nullable(),
    quarantined_at: integer("studio").nullable(),
    /** Correction of the client's clock, to be added to its times, ms; null without one. */
    clock_shift: integer("tester").nullable(),
    /** Whether the client sent it: 1 or 0. Otherwise, the session was moved to its time of receipt, because its time was impossible. */
    shift_sent: integer("studio"),
    /** First and last event timestamps, as the client sent them; null without events. */
    first_at: integer("tester").nullable(),
    last_at: integer("tester").nullable(),
    /** How often the client's clock jumped, or the device slept, and the sum of these steps, ms. They count as idle time. */
    clock_jumps: integer("tester"),
    jump_ms: integer("tester"),
    /** Frame times, memory and load times; null if the game sent none. */
    performance: json("tester", sessionPerformance).nullable(),
    wall_ms: integer("tester"),
    active_ms: integer("tester"),
    metadata: json("tester", z.looseObject({ gameVersion: z.string(), platform: z.string() })),
    transcript: text("tester").nullable(),
    /** Event counts by name. */
    event_counts: json("tester", z.record(z.string(), count)),
    /** The last state snapshot. */
    snapshot: json("tester", anyObject).nullable(),
    /** The timestamp of the event with the last state snapshot. */
    snapshot_at: integer("tester").nullable(),
    experiment_tags: json("tester", z.record(z.string(), z.string())),
    ended: integer("tester"),
    /** Sequence number of the next telemetry batch. Only batches that store an event are numbered. */
    next_batch: integer("tester"),
    /** How many events were stored, and their bytes before compression. Sessions older than these columns began at 0. */
    stored_events: integer("tester"),
    stored_bytes: integer("tester"),
    /** When the analysis is due; null if there is nothing to analyze. */
    analysis_due: integer("tester").nullable(),
    /** When the lease of the worker that analyzes the session expires; null without a lease. */
    analysis_lease: integer("tester").nullable().ephemeral(),
    /** Attempts since the last one that did not fail. */
    analysis_attempts: integer("tester"),
    /** How often an analysis for new data has ended since the session did. */
    analysis_runs: integer("tester"),
    /** Why the session got the status `failed`; meaningless in any other status. Null for failures of earlier versions. */
    analysis_error: text("tester").nullable(),
    /** The version of the rules that found the stored insights; null if there are none. */
    analysis_version: integer("tester").nullable(),
    /** Whether the game crashed: 1 or 0; null without an analysis, or if it was analyzed before this column existed. */
    crashed: integer("tester").nullable(),
    /** The last room of the session; null without one, or if it was analyzed before this column existed. */
    last_room: text("tester").nullable(),
    /** When the finished analysis should be repeated, although no data was added; null if it is up to date. */
    reanalysis_due: integer("tester").nullable(),
    /** When an AI model may be asked about the session; null if it need not be, or was. */
    enrichment_due: integer("tester").nullable(),
    /** The version of the rules after whose analysis the model was asked; null if it was not. */
    enriched_version: integer("tester").nullable(),
    /** When pruning removed the events, unix ms; null if they are stored. The session then accepts no further events. */
    events_pruned_at: integer("tester").nullable(),
    /** The session as list responses show it, as JSON text. */
    item: json("tester", session),
    /** The case-folded text that the filter `q` searches. */
    search: text("tester"),
  },
});

/** When sessions that started in an hour, or feedback that arrived in it, were last added, changed or deleted. Does not say what changed. */
export const sessionChanges = defineTable({
  key: ["game_id", "hour"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    /** Hours since 1970, UTC. */
    hour: integer("studio"),
    /** Unix ms; later than every earlier change of the game, even if the clock was set back. */
    changed_at: integer("studio"),
  },
});

export const eventBatches = defineTable({
  key: ["game_id", "session_id", "seq"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "The events that the game sent, to show a session and to analyze it.",
    kept: "events",
  },
  columns: {
    game_id: text("studio"),
    session_id: text("tester").finds("session"),
    seq: integer("tester"),
    event_count: integer("tester"),
    payload: bytes("tester", "events"),
    /** When the service received the batch, unix ms. Later batches of a game never have an earlier time, see `insertBatch`. */
    received_at: integer("tester"),
  },
});

/** The positions of one event in one room of one telemetry batch, until compaction moves them into a block. */
export const positionChunks = defineTable({
  key: ["game_id", "session_id", "seq", "event", "room", "player"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "New positions of players, for heatmaps.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    /** The name of the events. */
    event: text("tester"),
    /** The source of the sessions. */
    source: text("tester").as<SessionSource>(),
    room: text("tester"),
    build: text("studio"),
    environment: text("studio"),
    points: integer("tester"),
    x_min: number("tester"),
    x_max: number("tester"),
    y_min: number("tester"),
    y_max: number("tester"),
    /** The bounds of z; null if no position has one. */
    z_min: number("tester").nullable(),
    z_max: number("tester").nullable(),
    session_id: text("tester").finds("session"),
    seq: integer("tester"),
    /** The player of the device; empty if the events name none. */
    player: text("tester"),
    /** Float64, little-endian: every x, then every y. */
    xy: bytes("tester", "points"),
    /** Float64: the z of each point, NaN for points without one; null if no point has one. */
    z: bytes("tester", "heights").nullable(),
  },
});

/** Positions of one event, source, room, player, build and environment from many sessions. A block only grows at its end. */
export const positionBlocks = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "derive",
  personal: {
    purpose: "Positions of many players, for heatmaps.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    /** The name of the events. */
    event: text("aggregate"),
    /** The source of the sessions. */
    source: text("aggregate").as<SessionSource>(),
    room: text("aggregate"),
    build: text("studio"),
    environment: text("studio"),
    points: integer("aggregate"),
    x_min: number("aggregate"),
    x_max: number("aggregate"),
    y_min: number("aggregate"),
    y_max: number("aggregate"),
    /** The bounds of z; null if no position has one. */
    z_min: number("aggregate").nullable(),
    z_max: number("aggregate").nullable(),
    /** The player of the device; empty if the events name none. */
    player: text("aggregate"),
    /** Number of the block within its game, from 1. */
    id: integer("aggregate"),
    /** Float64, little-endian: x and y of each point, interleaved. */
    xy: bytes("aggregate", "points"),
    /** Float64: the z of each point, NaN for points without one; null if no point has one. */
    z: bytes("aggregate", "heights").nullable(),
  },
});

/** A range of a block with positions of one session. */
export const positionSlices = defineTable({
  key: ["game_id", "session_id", "room", "block", "start"],
  place: "game",
  erasure: "delete",
  personal: {
    purpose: "Which positions of a block a session has, so that they can be removed.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    session_id: text("tester").finds("session"),
    event: text("tester"),
    room: text("tester"),
    /** The player of the device; empty if the events name none. */
    player: text("tester"),
    block: integer("tester"),
    /** Index of the first point within the block. */
    start: integer("tester"),
    /** JSON: `[seq, points]` for each telemetry batch, in the order of the points. */
    parts: json("tester", z.array(z.tuple([count, count]))),
  },
});

/** Counts of events by day, which compaction moves into an EventCountBlockRow. The sum of both is the count. */
export const eventRollups = defineTable({
  key: ["game_id", "build", "environment", "day", "name"],
  place: "game",
  erasure: "derive",
  personal: {
    purpose: "How often an event happened on a day, to show totals quickly.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    build: text("studio"),
    environment: text("studio"),
    /** Days since the epoch (UTC) of the session's recordedAt. */
    day: integer("aggregate"),
    name: text("aggregate"),
    count: integer("aggregate"),
  },
});

/** Counts of events by name and day, of one build and environment in 32 days. */
export const eventCountBlocks = defineTable({
  key: ["game_id", "block", "build", "environment"],
  place: "game",
  erasure: "derive",
  personal: {
    purpose: "How often events happened on each day, to show totals quickly.",
    kept: "sessions",
  },
  columns: {
    game_id: text("studio"),
    /** The first day, divided by 32. */
    block: integer("aggregate"),
    build: text("studio"),
    environment: text("studio"),
    /** An array of names, sorted. */
    names: json("aggregate", z.array(z.string())),
    /** Float64, little-endian: pairs of a place and a count, see `event-block.ts`. */
    counts: bytes("aggregate", "counts"),
  },
});

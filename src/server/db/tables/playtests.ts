/** What a studio sets up for a game: forms, experiments, playtest batches and the meaning of events. */
import * as z from "zod";
import type { ExperimentStatus } from "../../../contract/experiments.ts";
import type { GateDelivery, GateState } from "../../../contract/gates.ts";
import type { Plane } from "../../../contract/heatmap-planes.ts";
import { gateRules } from "../../../gate/config.ts";
import type { EventMeaning } from "../../../shared/event-names.ts";
import { anyObjects, defineTable, integer, json, number, text } from "./define.ts";

export const eventConfig = defineTable({
  key: ["game_id", "name"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    name: text("studio"),
    sdk_ignore: integer("studio"),
    link_to_summary: integer("studio"),
    hide_from_ai: integer("studio"),
    /** What the event means for the player; null for the default. */
    meaning: text("studio").as<EventMeaning>().nullable(),
    /** The share of sessions in which SDKs record the event, from 0 to 1; null for all. */
    sample_rate: number("studio").nullable(),
  },
});

/** How the positions of a room are drawn. Rooms without a row, or without a plane, are guessed from their positions. */
export const roomSettings = defineTable({
  key: ["game_id", "room"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    room: text("studio"),
    /** Set by the studio; null if the plane was not set. */
    plane: text("studio").as<Plane>().nullable(),
    /** JSON: the ranges of the third axis. */
    floors: json("studio", z.array(z.tuple([z.number(), z.number()]))).nullable(),
    /** The plane that the game sent with its positions; null if it sent none. */
    sent_plane: text("studio").as<Plane>().nullable(),
  },
});

export const feedbackForms = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    id: text("studio"),
    name: text("studio"),
    /** The fields in order. */
    fields: json("studio", anyObjects),
    trigger_hint: text("studio"),
    active: integer("studio"),
    created_at: integer("studio"),
  },
});

/** The audience of an experiment: for every field, a player must match one of its predicates. */
export const audiences = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    id: text("studio"),
    name: text("studio"),
    /** A list of predicates. */
    predicates: json("studio", anyObjects),
    created_at: integer("studio"),
  },
});

export const experiments = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    id: text("studio"),
    account_id: text("studio"),
    name: text("studio"),
    status: text("studio").as<ExperimentStatus>(),
    /** The variants in the order of their definition. */
    variants: json("studio", z.array(z.looseObject({ key: z.string() }))),
    audience_id: text("studio").nullable(),
    winner_variant_key: text("studio").nullable(),
    /** The largest increase of the crash rate that does not matter, from 0 to 1; null for the default. */
    crash_margin: number("studio").nullable(),
    created_at: integer("studio"),
    /** When it was first started; null before. */
    started_at: integer("studio").nullable(),
    /** When it was last stopped; null unless it is stopped. */
    stopped_at: integer("studio").nullable(),
    /** Null unless it was deleted. Its exposures are kept but no longer shown. */
    deleted_at: integer("studio").nullable(),
  },
});

/** What is known about the decision of an experiment. */
export const experimentDecisions = defineTable({
  key: ["game_id", "experiment_id"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    experiment_id: text("studio"),
    /** The variant that was announced; null before that. */
    variant_key: text("studio").nullable(),
    /** Time of the last check for a leader. */
    checked_at: integer("studio"),
  },
});

/** What was decided about a build: that it is registered, or hidden. */
export const buildStates = defineTable({
  key: ["game_id", "build"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    build: text("studio"),
    /** The time of registration, by which registered builds are ordered, unix ms; null if it is not registered. */
    registered_at: integer("studio").nullable(),
    /** When it was hidden, unix ms; null if it is not hidden. */
    hidden_at: integer("studio").nullable(),
  },
});

/** A gate that CI has opened, and that the service decides once testers have played. */
export const gates = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    id: text("studio"),
    account_id: text("studio"),
    /** The baseline; `previous` until it is decided, if the request named none. */
    a: text("studio"),
    b: text("studio"),
    environment: text("studio"),
    /** The hash of the commit; null if it is not known. */
    commit_hash: text("studio").nullable(),
    /** The name or id of the webhook that receives the verdict. It is looked up when there is something to send. */
    receiver: text("studio"),
    rules: json("studio", gateRules),
    state: text("studio").as<GateState>(),
    opened_at: integer("studio"),
    /** When it is decided with the testers that there are, unix ms. */
    deadline: integer("studio"),
    /** How many testers of b the service saw when it last looked, and analyzed sessions when it last judged them; -1 before it did. */
    testers: integer("studio"),
    judged_sessions: integer("studio"),
    /** When it was decided, unix ms, and the verdict in one line, which has counts and no words of testers; null while it is open. */
    decided_at: integer("studio").nullable(),
    answer: text("studio").nullable(),
    /** Whether its receiver has the verdict; null while it is open. */
    delivery: text("studio").as<GateDelivery>().nullable(),
  },
});

export const playtestBatches = defineTable({
  key: ["game_id", "id"],
  place: "game",
  erasure: "keep",
  columns: {
    game_id: text("studio"),
    id: text("studio"),
    name: text("studio"),
    distribution_target: text("studio"),
    fulfillment_source: text("studio"),
    redemption_mode: text("studio"),
    identity_mode: text("studio"),
    share_token: text("studio").nullable(),
    instructions: text("studio").nullable(),
    expires_at: integer("studio").nullable(),
    created_at: integer("studio"),
  },
});

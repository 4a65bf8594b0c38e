/** Numbers of events by build and environment. */
import * as z from "zod";
import { bytes, defineTable, integer, json, text } from "./define.ts";

/** Counts of events by day, which compaction moves into an EventCountBlockRow. The sum of both is the count. */
export const eventRollups = defineTable({
  key: ["game_id", "build", "environment", "day", "name"],
  place: "game",
  erasure: "derive",
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

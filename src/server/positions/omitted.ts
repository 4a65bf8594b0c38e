/** Counts what a heatmap does not include, so that nobody takes missing positions for rooms without players. */
import { type HeatmapOmissions, MAX_OTHER_EVENTS } from "../../contract/heatmaps.ts";
import type { Db } from "../db/schema.ts";
import { countByEvent, countBySource, countEvents, type PositionFilter } from "./queries.ts";

/** Counts the events that match a filter but are not among its `included` positions. */
export async function countOmitted(
  db: Db,
  filter: PositionFilter,
  included: number,
): Promise<HeatmapOmissions> {
  const { source, ...anySource } = filter;
  // Without a source, every position of the event is included.
  const bySource = source === undefined ? new Map() : await countBySource(db, anySource);
  const elsewhere = [...bySource].filter(([name]) => name !== source);
  const positions = elsewhere.reduce((sum, [, count]) => sum + count, included);
  const omitted = {
    otherSources: Object.fromEntries(elsewhere),
    withoutPosition: await countWithoutPosition(db, anySource, positions),
  };
  if (included > 0) return omitted;
  const { event, ...anyEvent } = filter;
  const byEvent = [...(await countByEvent(db, anyEvent))].filter(([name]) => name !== event);
  const mostFrequent = byEvent.sort(([, a], [, b]) => b - a).slice(0, MAX_OTHER_EVENTS);
  return { ...omitted, otherEvents: Object.fromEntries(mostFrequent) };
}

/** Null if the service may have counted some of the events without their name. */
async function countWithoutPosition(
  db: Db,
  filter: PositionFilter,
  positions: number,
): Promise<number | null> {
  const { counted, unnamed } = await countEvents(db, filter);
  return unnamed > 0 || counted < positions ? null : counted - positions;
}

/** Heatmaps with marks. They are here because the analysis decides which events are failures. */
import { type getHeatmap, type Heatmap, listMarkKinds } from "../../contract/heatmaps.ts";
import type { Handler } from "../accounts/handler.ts";
import { jsonObject } from "../core/responses.ts";
import type { PositionsService } from "../positions/heatmap-cache.ts";
import { readHeatmap } from "../positions/read-heatmap.ts";
import { readMarks } from "./heatmap-marks.ts";

export const handleGetHeatmap: Handler<typeof getHeatmap, PositionsService> = async (input, call) => {
  const { heatmap, game, filter, rooms } = await readHeatmap(input, call);
  if (input.marks === undefined) return jsonObject<Heatmap>(heatmap);
  const { event: _event, ...anyEvent } = filter;
  const source = { db: call.db, game, service: call.service, filter: anyEvent };
  const marks = await readMarks(source, listMarkKinds(input.marks), new Set(rooms));
  return jsonObject<Heatmap>({ ...heatmap, marks });
};

/** Draws a heatmap as PNG for assistants, the same image as `heatmap --out heatmap.png`. */

import { buildDensityView } from "../../charts/heatmap.ts";
import type { Heatmap } from "../../contract/heatmaps.ts";
import { heatmapFile } from "../../render/svg/heatmap.ts";
import { renderPng } from "./png.ts";

/** Draws at most 12 rooms, two per row, at scale 1. */
export async function renderHeatmapPng(heatmap: Heatmap): Promise<Uint8Array> {
  return await renderPng(heatmapFile(buildDensityView(heatmap)), 1);
}

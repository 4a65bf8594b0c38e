/** Draws a heatmap in the terminal with characters or as an image. */
import type { HeatmapView } from "../../../charts/heatmap-view.ts";
import type { ImageProtocol } from "../../../render/images/protocols.ts";
import type { RenderOptions } from "../../../render/options.ts";
import type { PaletteName } from "../../../render/palettes/index.ts";
import type { Context } from "../../context.ts";

export interface DrawOptions {
  readonly palette: PaletteName | undefined;
  /** Null for characters. */
  readonly protocol: ImageProtocol | null;
}

/** The drawing; empty without rooms. */
export async function drawHeatmap(
  view: HeatmapView,
  { palette = "viridis", protocol }: DrawOptions,
  options: RenderOptions,
  context: Context,
): Promise<string> {
  if (view.rooms.length === 0) return "";
  if (protocol === null) {
    const { renderHeatmap } = await import("../../../render/heatmap/heatmap.ts");
    return renderHeatmap(view, { ...options, palette });
  }
  const { heatmapFile } = await import("../../../render/svg/heatmap.ts");
  const { drawImage } = await import("./image.ts");
  return await drawImage(heatmapFile(view, { palette }), protocol, context);
}

/** The command about heatmaps. */
import { heatmapCommand } from "./heatmap.ts";

export const commands = [heatmapCommand];

/** heatmap --flip-y and --origin: how drawings show the coordinates of a game. */
import type { HeatmapOrientation } from "../../../charts/orient-heatmap.ts";
import { fail } from "../../errors.ts";

/** Parses `<room>=<x>,<y>` of each --origin. The name of a room may contain `=`. Throws `usage`. */
export function parseOrigins(texts: readonly string[]): HeatmapOrientation["origins"] {
  return new Map(
    texts.map((text) => {
      const end = text.lastIndexOf("=");
      const [x, y, ...rest] = text
        .slice(end + 1)
        .split(",")
        .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
      if (end < 1 || rest.length > 0 || !Number.isFinite(x) || !Number.isFinite(y)) {
        throw fail("usage", {
          message: `--origin ${JSON.stringify(text)} is not a room and a point`,
          hint: "For example, --origin furnace=120,-40 shows the point 120,-40 of the room furnace as 0,0.",
        });
      }
      return [text.slice(0, end), { x: x ?? 0, y: y ?? 0 }];
    }),
  );
}

/** Flags of heatmap that need more than their type: --diff, --marks and --origin. All functions throw `usage`. */
import type { HeatmapOrientation } from "../../../charts/orient-heatmap.ts";
import { type MarkSelection, markKinds, markSelections } from "../../../contract/heatmaps.ts";
import { fail } from "../../errors.ts";

/** Throws `usage` for --diff without --build, with the same build, or with a flag that draws over one build. */
export function checkDiffFlags(
  diff: string | undefined,
  build: string | undefined,
  overlay: string | undefined,
): void {
  if (diff !== undefined && overlay !== undefined) {
    throw fail("usage", {
      message: `${overlay} cannot be used with --diff`,
      hint: "It belongs to one build. Draw each build by itself with --build.",
    });
  }
  if (diff === undefined || (build !== undefined && build !== diff)) return;
  throw fail("usage", {
    message:
      build === undefined
        ? `--diff ${JSON.stringify(diff)} requires --build, the build to compare with it`
        : `--diff and --build are both ${JSON.stringify(diff)}`,
    hint: "For example, --build 0.9.0 --diff 0.8.0 shows the changes from 0.8.0 to 0.9.0.",
  });
}

/** Parses kinds separated by commas, in any order. Throws `usage`. */
export function parseMarks(text: string | undefined): MarkSelection | undefined {
  if (text === undefined) return undefined;
  const words = text.split(",").map((word) => word.trim());
  const kinds = markKinds.filter((kind) => words.includes(kind)).join(",");
  const selection = markSelections.find((value) => value === kinds);
  if (selection !== undefined && words.every((word) => (markKinds as readonly string[]).includes(word)))
    return selection;
  throw fail("usage", {
    message: `--marks ${JSON.stringify(text)} must be ${markKinds.join(", ")} or both, separated by a comma`,
    hint: "For example, --marks deaths,quits.",
  });
}

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

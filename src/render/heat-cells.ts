/** Draws the cells of a heatmap: half blocks in colour, or a ramp of characters. */
import type { RenderOptions } from "./options.ts";
import { chalkFor } from "./style.ts";
import { viridis, viridis16, viridis256 } from "./viridis.ts";

/** Characters from few to many; a blank is none at all. */
const RAMP = ".:-=+*#%@";

/** How cells become characters. */
export interface Shading {
  /** Rows of the grid that one line of text shows. */
  readonly rowsPerLine: 1 | 2;
  /** One line of text: `lower` is the row under `upper`, null where there is none. */
  line(upper: readonly Cell[], lower: readonly Cell[] | null, cellWidth: number): string;
  /** The whole scale from few to many. */
  scale(): string;
}

type Cell = number | null;

/** Half blocks where there is colour, else the ramp. */
export function shadingFor(options: Pick<RenderOptions, "color" | "plain">): Shading {
  return options.plain || options.color === 0 ? ramp : halfBlocks(options);
}

const ramp: Shading = {
  rowsPerLine: 1,
  line: (upper, _lower, cellWidth) => upper.map((cell) => rampOf(cell).repeat(cellWidth)).join(""),
  scale: () => RAMP,
};

function rampOf(cell: Cell): string {
  if (cell === null) return " ";
  return RAMP[Math.min(RAMP.length - 1, Math.floor(cell * RAMP.length))] ?? " ";
}

const SCALE_WIDTH = 24;

function halfBlocks(options: Pick<RenderOptions, "color" | "plain">): Shading {
  const paint = halfBlockPainter(options);
  return {
    rowsPerLine: 2,
    line(upper, lower, cellWidth) {
      let text = "";
      for (let from = 0; from < upper.length; ) {
        const top = upper[from] ?? null;
        const bottom = lower?.[from] ?? null;
        let to = from + 1;
        while (to < upper.length && (upper[to] ?? null) === top && (lower?.[to] ?? null) === bottom) to++;
        text += paint(top, bottom, (to - from) * cellWidth);
        from = to;
      }
      return text;
    },
    scale() {
      const steps = Array.from({ length: SCALE_WIDTH }, (_, at) => at / (SCALE_WIDTH - 1));
      return steps.map((step) => paint(step, step, 1)).join("");
    },
  };
}

/** Draws a run of cells that are the same above and the same below. */
function halfBlockPainter(options: Pick<RenderOptions, "color" | "plain">) {
  const { front, both } = palette(options);
  return (top: Cell, bottom: Cell, width: number): string => {
    if (top === null) return bottom === null ? " ".repeat(width) : front(bottom)("▄".repeat(width));
    if (bottom === null) return front(top)("▀".repeat(width));
    return top === bottom ? front(top)("█".repeat(width)) : both(top, bottom)("▀".repeat(width));
  };
}

/** Viridis in the colours the terminal has. */
function palette(options: Pick<RenderOptions, "color" | "plain">) {
  const chalk = chalkFor(options);
  const front = (cell: number) => {
    if (options.color === 3) return chalk.rgb(...viridis(cell));
    return options.color === 2 ? chalk.ansi256(viridis256(cell)) : chalk[viridis16(cell)[0]];
  };
  const both = (top: number, bottom: number) => {
    if (options.color === 3) return front(top).bgRgb(...viridis(bottom));
    return options.color === 2 ? front(top).bgAnsi256(viridis256(bottom)) : front(top)[viridis16(bottom)[1]];
  };
  return { front, both };
}

/** Draws the cells of a heatmap with colored half blocks or a ramp of characters. */
import type { RenderOptions } from "../options.ts";
import type { Name, Palette, Rgb } from "../palettes/index.ts";

/** A value for the palette; null without positions. */
export type CellShade = number | null;

/** Converts cells to characters, one column per cell. */
export interface Shading {
  /** Rows of cells per line of text. */
  readonly rowsPerLine: 1 | 2;
  /** One line of text; `lower` is the row below `upper`, or null. `marks` are characters over cells, by column. */
  line(
    upper: readonly CellShade[],
    lower: readonly CellShade[] | null,
    marks?: ReadonlyMap<number, string>,
  ): string;
  /** A cell in the legend, and its width in columns. */
  swatch(cell: CellShade): { readonly text: string; readonly width: number };
  /** Whether colors are continuous; otherwise there are a few steps. */
  readonly smooth: boolean;
  /** Identifies the color or character of a cell. */
  look(cell: CellShade): string;
}

/** Half blocks if the terminal has color, otherwise a ramp of characters. */
export function createShading(palette: Palette, options: Pick<RenderOptions, "color" | "plain">): Shading {
  return options.plain || options.color === 0
    ? createRampShading(palette.kind)
    : createHalfBlockShading(palette, options.color);
}

/** From few to many positions. No ramp has colons, because a CI service runs lines that start with `::` as commands. */
export const DENSITY_RAMP = ".,-=+*#%@";
/** From a large decrease to a large increase. */
const DIFFERENCE_RAMP = "=~-.+*#";

function createRampShading(kind: Palette["kind"]): Shading {
  const characterOf = kind === "diverging" ? differenceCharacter : densityCharacter;
  return {
    rowsPerLine: 1,
    smooth: false,
    line: (upper, _lower, marks) =>
      upper.map((cell, column) => marks?.get(column) ?? characterOf(cell)).join(""),
    swatch: (cell) =>
      cell === null ? { text: "blank", width: 5 } : { text: `'${characterOf(cell)}'`, width: 3 },
    look: characterOf,
  };
}

function densityCharacter(cell: CellShade): string {
  if (cell === null) return " ";
  return (
    DENSITY_RAMP[Math.min(DENSITY_RAMP.length - 1, Math.max(0, Math.floor(cell * DENSITY_RAMP.length)))] ??
    " "
  );
}

function differenceCharacter(cell: CellShade): string {
  if (cell === null) return " ";
  return DIFFERENCE_RAMP[Math.round(Math.min(1, Math.max(-1, cell)) * 3) + 3] ?? " ";
}

function createHalfBlockShading(palette: Palette, level: 1 | 2 | 3): Shading {
  const ink = createCellInk(palette, level);
  return {
    rowsPerLine: 2,
    smooth: level === 3,
    line(upper, lower, marks = new Map()) {
      let text = "";
      for (let from = 0; from < upper.length; ) {
        const mark = marks.get(from);
        if (mark !== undefined) {
          text += `${setFrontAndBack(MARK_INK, ink(null))}${mark}`;
          from += 1;
          continue;
        }
        const top = ink(upper[from] ?? null);
        const bottom = ink(lower?.[from] ?? null);
        let to = from + 1;
        while (
          to < upper.length &&
          !marks.has(to) &&
          ink(upper[to] ?? null) === top &&
          ink(lower?.[to] ?? null) === bottom
        )
          to++;
        text += paintRun(top, bottom, ink(null), to - from);
        from = to;
      }
      return `${text}${RESET}`;
    },
    swatch(cell) {
      // Framed by the background of the plot, because some colors are invisible on a similar terminal background.
      const framed = cell === null ? "   " : "▐█▌";
      return { text: `${setFrontAndBack(ink(cell), ink(null))}${framed}${RESET}`, width: 3 };
    },
    look: (cell) => ink(cell).front,
  };
}

const RESET = "\x1b[39;49m";
/** Marks are white. */
const MARK_INK: SgrCodes = { front: "97", back: "107" };

/** SGR parameters (ECMA-48, 8.3.117) for the foreground and background color. */
interface SgrCodes {
  readonly front: string;
  readonly back: string;
}

/** A run of characters with different colors in the upper and lower half. Cells without positions are blank. */
function paintRun(top: SgrCodes, bottom: SgrCodes, none: SgrCodes, width: number): string {
  if (top === none) {
    return bottom === none
      ? sgr(none.back) + " ".repeat(width)
      : setFrontAndBack(bottom, none) + "▄".repeat(width);
  }
  return setFrontAndBack(top, bottom) + (top === bottom ? "█" : "▀").repeat(width);
}

const sgr = (codes: string) => `\x1b[${codes}m`;
const setFrontAndBack = (front: SgrCodes, back: SgrCodes) => sgr(`${front.front};${back.back}`);

/** Returns the codes of a cell; the same object for cells with the same color. */
function createCellInk(palette: Palette, level: 1 | 2 | 3): (cell: CellShade) => SgrCodes {
  const inks = new Map<string, SgrCodes>();
  const kept = (codes: SgrCodes) => {
    const known = inks.get(codes.front) ?? codes;
    inks.set(codes.front, known);
    return known;
  };
  const byCell = new Map<CellShade, SgrCodes>();
  const none = toSgrCodes(level, palette.none);
  return (cell) => {
    if (cell === null) return none;
    const found =
      byCell.get(cell) ??
      kept(
        toSgrCodes(level, {
          rgb: palette.rgb(cell),
          of256: palette.of256(cell),
          of16: palette.of16(cell),
        }),
      );
    byCell.set(cell, found);
    return found;
  };
}

function toSgrCodes(level: 1 | 2 | 3, ink: { rgb: Rgb; of256: number; of16: Name }): SgrCodes {
  if (level === 3) return { front: `38;2;${ink.rgb.join(";")}`, back: `48;2;${ink.rgb.join(";")}` };
  if (level === 2) return { front: `38;5;${ink.of256}`, back: `48;5;${ink.of256}` };
  const bright = ink.of16.endsWith("Bright");
  const at = ANSI_COLORS.indexOf(
    (bright ? ink.of16.slice(0, -"Bright".length) : ink.of16) as (typeof ANSI_COLORS)[number],
  );
  return { front: String((bright ? 90 : 30) + at), back: String((bright ? 100 : 40) + at) };
}

/** In the order of their SGR codes, starting at 30. */
const ANSI_COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

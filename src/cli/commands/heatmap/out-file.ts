/** heatmap --out: the picture as a file, by its ending. */
import { extname, resolve } from "node:path";
import type { HeatmapView } from "../../../charts/heatmap-view.ts";
import type { PaletteName } from "../../../render/palettes/index.ts";
import type { LevelMap } from "../../../render/svg/heatmap-frame.ts";
import type { Result } from "../../command.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { isFolder, writeNamedFile } from "../named-file.ts";

const kinds = ["svg", "png", "html", "json", "csv"] as const;
type OutFileKind = (typeof kinds)[number];

/** Pixels to one of the picture's own, unless told. */
const DEFAULT_SCALE = 2;

export interface OutFile {
  readonly kind: OutFileKind;
  readonly path: string;
  readonly scale: number;
}

/** Where to write what; null without `--out`. Throws `usage` or `config` naming what is wrong, before anything is asked. */
export async function resolveOutFile(
  { out, scale }: { readonly out: string | undefined; readonly scale: number | undefined },
  { cwd }: Pick<Io, "cwd">,
): Promise<OutFile | null> {
  const kind = kinds.find((one) => `.${one}` === extname(out ?? "").toLowerCase());
  if (scale !== undefined && kind !== "png") {
    throw fail("usage", {
      message: `--scale ${scale} goes with a PNG alone`,
      hint: "Name one with --out heatmap.png; SVG and HTML are sharp at any size.",
    });
  }
  if (out === undefined) return null;
  const path = resolve(cwd, out);
  const named = `--out ${JSON.stringify(out)}`;
  if (/[/\\]$/.test(out) || (await isFolder(path))) {
    throw fail("config", {
      message: `${named} is a folder`,
      hint: "Name a file in it, such as heatmap.svg.",
    });
  }
  if (kind === undefined) {
    throw fail("usage", {
      message: `${named} does not end in ${kinds.map((one) => `.${one}`).join(", ")}`,
      hint: "The ending chooses the format: --out heatmap.svg.",
    });
  }
  return { kind, path, scale: scale ?? DEFAULT_SCALE };
}

export interface HeatmapOutput {
  readonly picture: HeatmapView;
  /** What the JSON holds. */
  readonly data: unknown;
  readonly palette: PaletteName | undefined;
  readonly map: LevelMap | null;
}

/** Writes the file whole or not at all, and says what is in it. Throws `config` where it cannot be written. */
export async function writeOutFile(
  file: OutFile,
  drawing: HeatmapOutput,
  io: Pick<Io, "cwd">,
): Promise<Result> {
  const content = await renderContent(file, drawing);
  const { kind, path } = file;
  const bytes = Buffer.byteLength(content);
  await writeNamedFile("picture", path, content, io);
  const { rooms, positions } = drawing.picture;
  return {
    data: { file: path, format: kind, bytes, rooms: rooms.length, positions },
    view: async ({ tty }) => {
      const { formatNumber } = await import("../../../render/numbers.ts");
      const { cleanLine } = await import("../../../render/text.ts");
      const size = formatNumber(Math.ceil(bytes / 1000), { tty });
      return `Wrote ${cleanLine(path)}: ${rooms.length} ${rooms.length === 1 ? "room" : "rooms"}, ${size} kB\n`;
    },
  };
}

async function renderContent({ kind, scale }: OutFile, drawing: HeatmapOutput): Promise<string | Uint8Array> {
  const { picture, data, palette, map } = drawing;
  if (kind === "json") {
    const { escapeJson } = await import("../../../render/text.ts");
    return `${escapeJson(JSON.stringify(data, null, 2))}\n`;
  }
  if (kind === "csv") return (await import("./cell-rows.ts")).cellsCsv(picture);
  const options = { ...(palette ? { palette } : {}), ...(map ? { map } : {}) };
  if (kind === "html") return (await import("../../../render/html/heatmap.ts")).heatmapPage(picture, options);
  const { heatmapFile } = await import("../../../render/svg/heatmap.ts");
  const svg = heatmapFile(picture, options);
  if (kind === "svg") return svg;
  return (await (await import("../../image-files/png.ts")).renderPng(svg, scale)).png;
}

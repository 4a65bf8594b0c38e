/** heatmap --out: writes the heatmap to a file in the format of its extension. */
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

const DEFAULT_SCALE = 2;

export interface OutFile {
  readonly kind: OutFileKind;
  readonly path: string;
  readonly scale: number;
}

/** The file and format of `--out`, or null without it. Throws `usage` or `config` before any request is sent. */
export async function resolveOutFile(
  { out, scale }: { readonly out: string | undefined; readonly scale: number | undefined },
  { cwd }: Pick<Io, "cwd">,
): Promise<OutFile | null> {
  const kind = kinds.find((name) => `.${name}` === extname(out ?? "").toLowerCase());
  if (scale !== undefined && kind !== "png") {
    throw fail("usage", {
      message: `--scale ${scale} is only supported for PNG files`,
      hint: "Use --out heatmap.png, or remove --scale. SVG and HTML are sharp at any size.",
    });
  }
  if (out === undefined) return null;
  const path = resolve(cwd, out);
  const named = `--out ${JSON.stringify(out)}`;
  if (/[/\\]$/.test(out) || (await isFolder(path))) {
    throw fail("config", {
      message: `${named} is a folder`,
      hint: "Specify a file in it, such as heatmap.svg.",
    });
  }
  if (kind === undefined) {
    throw fail("usage", {
      message: `${named} does not end in ${kinds.map((name) => `.${name}`).join(", ")}`,
      hint: "The extension selects the format, as in --out heatmap.svg.",
    });
  }
  return { kind, path, scale: scale ?? DEFAULT_SCALE };
}

interface HeatmapOutput {
  readonly view: HeatmapView;
  /** The content of a JSON file. */
  readonly data: unknown;
  readonly palette: PaletteName | undefined;
  readonly map: LevelMap | null;
}

/** Writes the file completely or not at all, and reports its content. Throws `config` if it cannot be written. */
export async function writeOutFile(
  file: OutFile,
  drawing: HeatmapOutput,
  io: Pick<Io, "cwd">,
): Promise<Result> {
  const content = await renderContent(file, drawing);
  const { kind, path } = file;
  const bytes = Buffer.byteLength(content);
  await writeNamedFile("heatmap", path, content, io);
  const { rooms, positions } = drawing.view;
  return {
    data: { file: path, format: kind, bytes, rooms: rooms.length, positions },
    view: async ({ tty }) => {
      const { formatNumber } = await import("../../../render/numbers.ts");
      const { cleanLine } = await import("../../../render/text.ts");
      const size = formatNumber(Math.ceil(bytes / 1000), { tty });
      return `Wrote ${cleanLine(path)} (${rooms.length} ${rooms.length === 1 ? "room" : "rooms"}, ${size} kB).\n`;
    },
  };
}

async function renderContent({ kind, scale }: OutFile, drawing: HeatmapOutput): Promise<string | Uint8Array> {
  const { view, data, palette, map } = drawing;
  if (kind === "json") {
    const { escapeJson } = await import("../../../render/text.ts");
    return `${escapeJson(JSON.stringify(data, null, 2))}\n`;
  }
  if (kind === "csv") return (await import("./cells.ts")).cellsCsv(view);
  const options = { ...(palette ? { palette } : {}), ...(map ? { map } : {}) };
  if (kind === "html") return (await import("../../../render/html/heatmap.ts")).heatmapPage(view, options);
  const { heatmapFile } = await import("../../../render/svg/heatmap.ts");
  const svg = heatmapFile(view, options);
  if (kind === "svg") return svg;
  const { renderPng } = await import("../../image-files/png.ts");
  return await renderPng(svg, scale);
}

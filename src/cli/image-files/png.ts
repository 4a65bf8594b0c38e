/** Converts SVG to PNG. The rasterizer is large, so it is loaded only for PNG files. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { posix } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { buildDensityView } from "../../charts/heatmap.ts";
import type { Heatmap } from "../../contract/heatmaps.ts";
import { heatmapFile } from "../../render/svg/heatmap.ts";
import { readAsset } from "../../shared/executable.ts";

/** The files next to the built program, which are compressed, and in the packages that the build copies them from. */
const FILES = {
  wasm: ["./resvg.wasm.br", "@resvg/resvg-wasm/index_bg.wasm"],
  font: ["./DejaVuSans.ttf.br", "dejavu-fonts-ttf/ttf/DejaVuSans.ttf"],
} as const;

/** The font, once the rasterizer is initialized, which is possible only once per process. */
let loading: Promise<Uint8Array> | null = null;

async function initRasterizer(): Promise<Uint8Array> {
  const [wasm, font] = await Promise.all([readBundledFile(FILES.wasm), readBundledFile(FILES.font)]);
  await initWasm(wasm).catch(ignoreInitialized);
  return font;
}

/** Another copy of this module in the process may have initialized the rasterizer. */
function ignoreInitialized(error: Error): void {
  if (!error.message.startsWith("Already initialized")) throw error;
}

async function readBundledFile(names: (typeof FILES)[keyof typeof FILES]): Promise<Uint8Array> {
  const asset = readAsset(posix.join("dist", names[0]));
  if (asset !== null) return brotliDecompressSync(asset);
  const { resolve } = createRequire(import.meta.filename);
  for (const name of names) {
    try {
      const content = await readFile(resolve(name));
      return name.endsWith(".br") ? brotliDecompressSync(content) : content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error(`${names.join(" and ")} are missing from this installation`);
}

/** Draws the SVG at a scale, as the bytes of a PNG file. The output is the same on every machine, because the font is bundled. */
export async function renderPng(svg: string, scale: number): Promise<Uint8Array> {
  loading ??= initRasterizer();
  const font = await loading;
  const resvg = new Resvg(svg, {
    fitTo: { mode: "zoom", value: scale },
    font: { fontBuffers: [font], defaultFontFamily: "DejaVu Sans", sansSerifFamily: "DejaVu Sans" },
  });
  const image = resvg.render();
  try {
    return image.asPng();
  } finally {
    image.free();
    resvg.free();
  }
}

/** Draws at most 12 rooms, two per row, at scale 1. */
export async function renderHeatmapPng(heatmap: Heatmap): Promise<Uint8Array> {
  return await renderPng(heatmapFile(buildDensityView(heatmap)), 1);
}

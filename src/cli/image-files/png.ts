/** Draws SVG as pixels. What does it is large, so that nothing but a PNG or an image in a terminal loads this. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

/** A picture as a file and as pixels. */
export interface RasterImage {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel, row by row. */
  readonly rgba: Uint8Array;
}

/** Beside the built program, else in the packages that the build takes them from. */
const FILES = {
  wasm: ["./resvg.wasm", "@resvg/resvg-wasm/index_bg.wasm"],
  font: ["./DejaVuSans.ttf", "dejavu-fonts-ttf/ttf/DejaVuSans.ttf"],
} as const;

/** The rasterizer and its font: loaded once a process, for it may be started once alone. */
let loading: Promise<Uint8Array> | null = null;

async function initRasterizer(): Promise<Uint8Array> {
  const [wasm, font] = await Promise.all([readShipped(FILES.wasm), readShipped(FILES.font)]);
  await initWasm(wasm);
  return font;
}

async function readShipped(names: readonly string[]): Promise<Uint8Array> {
  const { resolve } = createRequire(import.meta.filename);
  for (const name of names) {
    try {
      return await readFile(resolve(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error(`${names.join(" and ")} are missing from this installation`);
}

/** The SVG as pixels, `scale` of them to one of its own: the same bytes on every machine, for its font comes along. */
export async function renderPng(svg: string, scale: number): Promise<RasterImage> {
  loading ??= initRasterizer();
  const font = await loading;
  const resvg = new Resvg(svg, {
    fitTo: { mode: "zoom", value: scale },
    font: { fontBuffers: [font], defaultFontFamily: "DejaVu Sans", sansSerifFamily: "DejaVu Sans" },
  });
  const image = resvg.render();
  try {
    const { width, height } = image;
    return { png: image.asPng(), width, height, rgba: image.pixels };
  } finally {
    image.free();
    resvg.free();
  }
}

/** `--out chart.svg`: also writes the chart of a view to a file. */
import type { Chart } from "../../charts/charts.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors.ts";
import { text } from "../flags.ts";

/** The flag of the commands that draw charts. */
export const chartFlags = { out: text("--out <file.svg>", "also write the chart to this SVG file") } as const;

/** Throws `usage` if the file name does not end in .svg. Called before any request is sent. */
export function checkChartFile(out: string | undefined): void {
  if (out === undefined || out.toLowerCase().endsWith(".svg")) return;
  throw fail("usage", {
    message: `--out ${JSON.stringify(out)} does not end in .svg`,
    hint: "Charts are SVG files, for example --out chart.svg.",
  });
}

/** Writes the charts into one file, below each other. Throws `config` if the file cannot be written. */
export async function writeCharts(
  context: Context,
  out: string | undefined,
  charts: () => readonly Chart[],
): Promise<void> {
  if (out === undefined) return;
  const { chartsFile } = await import("../../render/svg/charts.ts");
  const { writeNamedFile } = await import("./named-file.ts");
  await context.notify(`Wrote ${await writeNamedFile("chart", out, chartsFile(charts()), context.io)}`);
}

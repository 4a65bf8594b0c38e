/** `--out chart.svg`: a view's chart as a file, beside what the command answers. */
import type { Chart } from "../../charts/charts.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors.ts";
import { text } from "../flags.ts";

/** The flag of every view that has a chart. */
export const chartFlags = {
  out: text("--out <file.svg>", "also write the chart to this SVG file"),
} as const;

/** Throws `usage` for a file that is no SVG, before anything is asked. */
export function checkChartFile(out: string | undefined): void {
  if (out === undefined || out.toLowerCase().endsWith(".svg")) return;
  throw fail("usage", {
    message: `--out ${JSON.stringify(out)} does not end in .svg`,
    hint: "Charts are written as SVG: --out chart.svg.",
  });
}

/** Writes the charts whole, one below the other, and says so. Throws `config` where the file cannot be written. */
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

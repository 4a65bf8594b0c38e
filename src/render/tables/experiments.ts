/** Table columns of experiments. */

import type { Experiment } from "../../contract/experiments.ts";
import { ownValue } from "../../shared/own-value.ts";
import type { TableColumn } from "../columns.ts";
import type { Style } from "../style.ts";
import { groupColumn, idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

const statusStyles: Readonly<Record<string, Style>> = { running: "good", stopped: "muted" };

export const experimentColumns: readonly TableColumn<Experiment>[] = [
  { ...idColumn<Experiment>("id", "ID", ({ id }) => id), style: "strong" },
  { ...textColumn<Experiment>("name", "NAME", ({ name }) => name, 2), minWidth: 16, last: true },
  groupColumn({
    ...textColumn<Experiment>("status", "STATUS", ({ status }) => status),
    style: ({ status }) => ownValue(statusStyles, status) ?? null,
  }),
  {
    ...textColumn<Experiment>(
      "variants",
      "VARIANTS",
      ({ variants }) => variants.map(variantText).join(", "),
      1,
    ),
    format: (_text, _options, { variants }) => formatVariants(variants),
  },
  wideColumn(textColumn("config", "CONFIG", ({ variants }) => formatConfig(variants), 2)),
  wideColumn(textColumn("audienceName", "AUDIENCE", ({ audienceName }) => audienceName ?? "everybody", 3)),
  groupColumn(textColumn("winnerVariantKey", "WINNER", ({ winnerVariantKey }) => winnerVariantKey ?? null)),
  timeColumn("startedAt", "STARTED", ({ startedAt }) => startedAt ?? null),
  wideColumn(timeColumn("stoppedAt", "STOPPED", ({ stoppedAt }) => stoppedAt ?? null)),
];

/** The remote config values of all variants, such as `lit.speed=3`; null if there are none. */
function formatConfig(variants: Experiment["variants"]): string | null {
  const values = variants.flatMap(({ key, config = {} }) =>
    Object.entries(config).map(([name, value]) => `${key}.${name}=${value}`),
  );
  return values.length > 0 ? values.join(", ") : null;
}

/** A variant in CSV and TSV. */
const variantText = ({ key, allocation }: Experiment["variants"][number]) => `${key} ${allocation}%`;

/** The variants with their shares of devices: `control 60%, lit 40%`. */
function formatVariants(variants: Experiment["variants"]): string {
  const total = variants.reduce((sum, { allocation }) => sum + allocation, 0);
  const round = (value: number) => Math.round(value * 10) / 10;
  return variants
    .map(({ key, allocation }) => {
      const percent = total > 0 ? (allocation / total) * 100 : 0;
      return `${key} ${round(percent)}%`;
    })
    .join(", ");
}

/** Table columns of experiments. */
import type { Experiment } from "../../../contract/experiments.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { textColumn, timeColumn, wideColumn } from "../columns.ts";

const statusStyles = { running: "good", stopped: "muted" } as const;

export const experimentColumns: readonly TableColumn<Experiment>[] = [
  { key: "id", header: "EXPERIMENT", value: ({ id }) => id, style: "strong" },
  textColumn("name", "NAME", ({ name }) => name, 2),
  {
    key: "status",
    header: "STATUS",
    value: ({ status }) => status,
    style: ({ status }) => statusStyles[status as keyof typeof statusStyles] ?? null,
  },
  textColumn("variants", "VARIANTS", ({ variants }) => variants.map(formatVariant).join(", "), 1),
  wideColumn(textColumn("audienceName", "AUDIENCE", ({ audienceName }) => audienceName ?? "everybody", 3)),
  textColumn("winnerVariantKey", "WINNER", ({ winnerVariantKey }) => winnerVariantKey ?? null),
  timeColumn("startedAt", "STARTED", ({ startedAt }) => startedAt ?? null),
  wideColumn(timeColumn("stoppedAt", "STOPPED", ({ stoppedAt }) => stoppedAt ?? null)),
];

const formatVariant = ({ key, allocation }: Experiment["variants"][number]) => `${key} ${allocation}%`;

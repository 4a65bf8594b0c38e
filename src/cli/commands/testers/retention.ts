/** testers retention: how many testers came back, by the build of their first session. */
import { cohortChart } from "../../../charts/tester-retention.ts";
import * as retention from "../../../contract/retention.ts";
import {
  DEFAULT_RETENTION_BUILDS,
  MAX_RETENTION_BUILDS,
  type Retention,
  type RetentionCohort,
} from "../../../contract/retention.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { formatCount } from "../../../render/numbers.ts";
import { textColumn } from "../../../render/tables/columns.ts";
import { command, createTable } from "../../command.ts";
import { integer, text } from "../../flags.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";

const DAYS = [1, 2, 7];

const columns: readonly TableColumn<RetentionCohort>[] = [
  textColumn("build", "FIRST BUILD", ({ build }) => build, 1),
  textColumn("testers", "TESTERS", ({ testers }) => testers),
  ...DAYS.flatMap((day): TableColumn<RetentionCohort>[] => {
    const find = ({ days }: RetentionCohort) => days.find((entry) => entry.day === day);
    return [
      textColumn(`day${day}.retained`, `DAY ${day}`, (cohort) => find(cohort)?.retained ?? null),
      textColumn(`day${day}.eligible`, "OF", (cohort) => find(cohort)?.eligible ?? null),
      textColumn(`day${day}.rate`, "RATE", (cohort) => find(cohort)?.rate ?? null),
    ];
  }),
];

export const retentionCommand = command({
  path: "testers retention",
  summary: "Show how many testers came back, by their first build",
  details:
    "Shows day 1, 2 and 7. Day N is the 24 hours that start N days after the first session of a tester, in any build. Only testers whose day N " +
    "is over are counted; until then, the rate is not known. Experiments use the same definition. Sessions without a " +
    "device id are left out, because it is not known whose they are.",
  args: [],
  flags: {
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    last: integer(
      "--last <n>",
      `number of builds (default: ${DEFAULT_RETENTION_BUILDS})`,
      1,
      MAX_RETENTION_BUILDS,
    ),
    ...chartFlags,
  },
  examples: ["testers retention --game ember", "testers retention --game ember --last 3 --out retention.svg"],
  async run(context, { flags: { env, last, out } }) {
    checkChartFile(out);
    const client = await context.client(retention);
    const data = await client.getRetention({ game: await context.requireGame(), env, last });
    await writeCharts(context, out, () => [cohortChart(data)]);
    return {
      data,
      table: createTable(data.cohorts, columns, describeNothing(data)),
      items: data.cohorts,
      view: async (options) => {
        if (data.cohorts.length === 0) return "";
        const { renderIntervals } = await import("../../../render/charts/rows.ts");
        return renderIntervals(cohortChart(data), options);
      },
    };
  },
});

function describeNothing({ environment, withoutDevice }: Retention): string {
  const where = environment === "all" ? "" : ` in ${environment}`;
  return withoutDevice > 0
    ? `No tester can be recognized${where}: ${formatCount(withoutDevice, "session")} have no device id.`
    : `No build has sessions${where}.${environment === "all" ? "" : " Use --env all to include all environments."}`;
}

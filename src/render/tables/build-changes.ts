/** Columns of the changes in a friction diff, with their tests. */
import { describeChange, formatInterval, getChangeMood, getDifference } from "../../charts/friction.ts";
import type { TestedChange } from "../../charts/tested-changes.ts";
import type { BuildComparison } from "../../contract/builds.ts";
import { formatPValue } from "../../gate/reasons.ts";
import type { TableColumn } from "../columns.ts";

/** A difference in percentage points, with its sign. */
function formatSigned(points: number): string {
  return `${points > 0 ? "+" : ""}${points.toFixed(1)}`;
}

/** The columns of the changes between two builds. */
export function changeColumns({ buildA, buildB }: BuildComparison): readonly TableColumn<TestedChange>[] {
  return [
    { key: "kind", header: "CHANGE", value: ({ kind }) => kind },
    { key: "tag", header: "TAG", value: ({ tag }) => tag, shrink: 1 },
    {
      key: "deltaPct",
      header: "DIFF (PP)",
      value: ({ deltaPct }) => deltaPct,
      format: (points) => formatSigned(Number(points)),
    },
    { key: "testersA", header: `IN ${buildA.version}`, align: "right", value: ({ testersA }) => testersA },
    { key: "exposedA", header: "OF", align: "right", value: ({ exposedA }) => exposedA },
    { key: "testersB", header: `IN ${buildB.version}`, align: "right", value: ({ testersB }) => testersB },
    { key: "exposedB", header: "OF", align: "right", value: ({ exposedB }) => exposedB },
    {
      key: "interval",
      header: "INTERVAL",
      align: "right",
      value: ({ interval }) => interval && formatInterval(interval),
    },
    {
      key: "pValue",
      header: "P-VALUE",
      align: "right",
      value: ({ pValue }) => pValue,
      format: (p) => formatPValue(Number(p)),
    },
    {
      key: "result",
      header: "RESULT",
      value: describeChange,
      style: (change) => moodStyles[getChangeMood(change)],
    },
  ];
}

/** The columns for people: as in the chart, the difference is what the interval and the test describe. */
export function shownChangeColumns(data: BuildComparison): readonly TableColumn<TestedChange>[] {
  const headers: Readonly<Record<string, string>> = {
    testersA: `In ${data.buildA.version}`,
    testersB: `In ${data.buildB.version}`,
  };
  const columns = changeColumns(data).map((column) => {
    const header = headers[column.key] ?? column.header;
    return column.key === "deltaPct"
      ? { ...column, key: "difference", value: getDifference }
      : { ...column, header };
  });
  const first = columns.filter(({ key }) => key === "tag");
  return [...first, ...columns.filter(({ key }) => key !== "tag" && key !== "kind")];
}

const moodStyles = { good: "good", bad: "bad", neutral: "muted" } as const;

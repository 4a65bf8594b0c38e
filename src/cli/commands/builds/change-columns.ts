/** Columns of the changes in a friction diff. */
import type { BuildChange, BuildComparison } from "../../../contract/builds.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { Style } from "../../../render/style.ts";

const kindStyles: Readonly<Record<string, Style>> = {
  introduced: "bad",
  got_larger: "bad",
  resolved: "good",
  got_smaller: "good",
};

/** The style of a kind of change. */
export function changeStyle(kind: string): Style {
  return kindStyles[kind] ?? "muted";
}

/** A difference in percentage points, with its sign. */
export function formatSigned(points: number): string {
  return `${points > 0 ? "+" : ""}${points.toFixed(1)}`;
}

/** The columns of a comparison's changes. */
export function changeColumns({ buildA, buildB }: BuildComparison): readonly TableColumn<BuildChange>[] {
  const testers = (count: number, total: number) => `${count} of ${total}`;
  return [
    { key: "kind", header: "CHANGE", value: ({ kind }) => kind, style: ({ kind }) => changeStyle(kind) },
    { key: "tag", header: "TAG", value: ({ tag }) => tag, shrink: 1 },
    {
      key: "deltaPct",
      header: "DIFF (PP)",
      value: ({ deltaPct }) => deltaPct,
      format: (points) => formatSigned(Number(points)),
    },
    {
      key: "testersA",
      header: `IN ${buildA.version}`,
      align: "right",
      value: ({ testersA }) => testersA ?? null,
      format: (count) => testers(Number(count), buildA.testersInBatch),
    },
    {
      key: "testersB",
      header: `IN ${buildB.version}`,
      align: "right",
      value: ({ testersB }) => testersB ?? null,
      format: (count) => testers(Number(count), buildB.testersInBatch),
    },
  ];
}

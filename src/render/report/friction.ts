/** The sections about friction: every tag with its change and result, evidence for those that increased, and quotes. */

import { findMaxMagnitude } from "../../charts/charts.ts";
import { describeNoTesters, frictionChart } from "../../charts/friction.ts";
import {
  type BuildFindings,
  MAX_TITLES_PER_TAG,
  type ReportData,
  type ReportFinding,
} from "../../charts/report.ts";
import type { TestedChange } from "../../charts/tested-changes.ts";
import { formatValue } from "../charts/values.ts";
import { getResultTitle } from "../gate/words.ts";
import { formatCount } from "../numbers.ts";
import { type ReportBlock, type ReportSection, type TableBlock, textCell, versionTitle } from "./blocks.ts";
import { blocksOrMissing } from "./missing.ts";

/** Maximum number of tags with evidence, and of rows per group. */
const MAX_TAGS = 8;
const MAX_ROWS = 40;

export function frictionSection(data: ReportData): ReportSection {
  const { friction, found } = data;
  const noTesters = describeNoTesters(friction);
  if (noTesters !== null || friction.changes.length === 0) {
    const text = noTesters ?? friction.noFriction;
    return { id: "friction", title: "What changed for players", blocks: [{ kind: "text", text }] };
  }
  const pValues =
    data.verdict.method === "fisher"
      ? " The p-values of the table are two-sided. Those of the gate are one-sided: they test increases alone, so they are smaller."
      : "";
  const note = `${frictionChart(friction).note} Each tester counts once.${pValues}`;
  const increased = friction.changes.filter(({ difference, deltaPct }) => (difference ?? deltaPct) > 0);
  const findings =
    increased.length === 0
      ? []
      : blocksOrMissing(found, "evidence", (value) => buildEvidenceBlocks(value, increased));
  return {
    id: "friction",
    title: "What changed for players",
    blocks: [{ kind: "note", text: note }, buildFrictionTable(data), ...findings],
  };
}

function buildFrictionTable({ friction, verdict }: ReportData): TableBlock {
  const chart = frictionChart(friction);
  const max = Math.max(1, findMaxMagnitude(chart));
  const judged = new Map(verdict.findings.map((finding) => [finding.tag, finding]));
  const groups = chart.groups.map(({ title, mood, rows }) => ({
    title: `${title} (${rows.length})${rows.length > MAX_ROWS ? `, ${MAX_ROWS} largest` : ""}`,
    mood,
    rows: rows.slice(0, MAX_ROWS).map((row) => {
      const finding = judged.get(row.code ?? "");
      const [testersA, testersB, interval, pValue] = row.details;
      return [
        textCell(row.label, row.code === undefined || row.code === row.label ? {} : { under: row.code }),
        row.value === null
          ? textCell("-")
          : textCell(formatValue(row.value, "points", { tty: true }), {
              mood: row.mood,
              bar: row.value / max,
            }),
        textCell(`${testersA ?? "-"} → ${testersB ?? "-"}`),
        textCell(interval ?? "-"),
        textCell(
          finding === undefined ? "-" : getResultTitle(finding, verdict),
          finding && isCounted(finding.status) ? { mood: "bad" } : {},
        ),
        textCell(pValue ?? "-"),
      ];
    }),
  }));
  return {
    kind: "table",
    caption: "Friction in both builds",
    columns: [
      { title: "Friction" },
      { title: "Diff (pp)", right: true },
      {
        title: `Testers, ${versionTitle(friction.a.version)} → ${versionTitle(friction.b.version)}`,
        tight: true,
      },
      { title: "Interval (pp)", right: true },
      { title: "Gate", tight: true },
      { title: "Two-sided p", right: true, wide: true },
    ],
    groups,
  };
}

const isCounted = (status: string) => status === "failed" || status === "warned";

/** The insights of each tag that increased. */
function buildEvidenceBlocks(
  { tags, isCut }: BuildFindings,
  increased: readonly TestedChange[],
): ReportBlock[] {
  const changes = new Map(increased.map((change) => [change.tag, change]));
  const withEvidence = tags.flatMap((found) => {
    const change = changes.get(found.tag);
    return change !== undefined && found.count > 0 ? [{ ...found, change }] : [];
  });
  const blocks = withEvidence.slice(0, MAX_TAGS).flatMap(({ change, findings, count }): ReportBlock[] => [
    {
      kind: "heading",
      text: `${change.title} (${describeShown(findings, count)})`,
    },
    {
      kind: "list",
      items: findings.map(({ title, sessionIds }) => [
        textCell(title),
        textCell(formatSessions(sessionIds), { code: true }),
      ]),
    },
  ]);
  const notes = [
    ...describeUnlisted(withEvidence.slice(MAX_TAGS).map(({ change }) => change)),
    ...(isCut ? ["Only the newest sessions and insights of the build were read."] : []),
  ];
  return notes.length === 0 ? blocks : [...blocks, { kind: "note", text: notes.join(" ") }];
}

/** The numbers of tags without evidence here. Only an increase beyond chance is called worse, as in the table. */
function describeUnlisted(changes: readonly TestedChange[]): string[] {
  const worse = changes.filter(({ result }) => result === "worse").length;
  const others = changes.length - worse;
  return [
    ...(worse > 0 ? [`${formatCount(worse, "more tag")} got worse.`] : []),
    ...(others > 0 ? [`${formatCount(others, "more tag")} increased, but did not clearly get worse.`] : []),
  ];
}

/** The number of insights, and how many of them are listed if not all are. */
function describeShown(findings: readonly ReportFinding[], count: number): string {
  if (findings.length < MAX_TITLES_PER_TAG) return formatCount(count, "insight");
  const shown = findings.reduce((sum, { sessionIds }) => sum + sessionIds.length, 0);
  return shown < count
    ? `${count} insights, the ${shown} most common are listed`
    : formatCount(count, "insight");
}

/** The first session and the number of other sessions. */
const formatSessions = ([first = "", ...more]: readonly string[]) =>
  more.length === 0 ? first : `${first} and ${formatCount(more.length, "more session")}`;

export function quotesSection({ quotes }: ReportData): ReportSection {
  const blocks = blocksOrMissing(quotes, "quotes", (value): ReportBlock[] => {
    if (value.length === 0)
      return [{ kind: "text", text: "No written feedback in the sessions worth watching." }];
    const quoted = value.map(({ text, question, sessionIds }) => ({
      text,
      source: `Answer to “${question}” in ${formatSessions(sessionIds)}`,
    }));
    return [
      { kind: "note", text: "Only answers from the sessions worth watching." },
      { kind: "quotes", quotes: quoted },
    ];
  });
  return { id: "quotes", title: "Player quotes", blocks };
}

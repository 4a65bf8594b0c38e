/** What changed for the players: every tag with its bar and judgement, what was found of those that got worse, and their words. */

import { findMaxMagnitude } from "../../charts/charts.ts";
import { frictionChart, getKindMood } from "../../charts/friction.ts";
import type { BuildFindings, ReportData } from "../../charts/report.ts";
import type { GateFinding } from "../../gate/verdict.ts";
import { formatValue } from "../charts/values.ts";
import { formatAdjustedP, formatCount, getStatusTitle } from "../gate/words.ts";
import { type ReportBlock, type ReportSection, type TableBlock, textCell, versionTitle } from "./blocks.ts";
import { blocksOrMissing } from "./missing.ts";

/** Tags told with their findings, and rows of a group, at most. */
const MAX_TAGS = 8;
const MAX_ROWS = 40;
const WORSE_KINDS = ["introduced", "got_larger"];

export function frictionSection(data: ReportData): ReportSection {
  const { friction, found } = data;
  if (friction.changes.length === 0) {
    const empty = [friction.a, friction.b].filter(({ testers }) => testers === 0);
    const text =
      empty.length === 0
        ? "No friction was found in either build."
        : `Nothing to compare: no testers of ${empty.map(({ version }) => version).join(" and ")}.`;
    return { id: "friction", title: "What changed for players", blocks: [{ kind: "text", text }] };
  }
  const note = `${frictionChart(friction).note} A tester counts once, however often.`;
  const worse = friction.changes.filter(({ kind }) => WORSE_KINDS.includes(kind)).map(({ tag }) => tag);
  const findings =
    worse.length === 0
      ? []
      : blocksOrMissing(found, "What was found of them", (value) => buildEvidenceBlocks(value, worse));
  return {
    id: "friction",
    title: "What changed for players",
    blocks: [{ kind: "note", text: note }, buildFrictionTable(data), ...findings],
  };
}

function buildFrictionTable({ friction, verdict }: ReportData): TableBlock {
  const chart = frictionChart(friction);
  const reach = Math.max(1, findMaxMagnitude(chart));
  const judged = new Map(verdict.findings.map((one) => [one.tag, one]));
  const groups = chart.groups.map(({ title, mood, rows }) => ({
    title: `${title} (${rows.length})${rows.length > MAX_ROWS ? `, the ${MAX_ROWS} largest` : ""}`,
    mood,
    rows: rows.slice(0, MAX_ROWS).map((row) => {
      const finding = judged.get(row.label);
      const chance = finding === undefined || finding.status === "off" ? null : formatAdjustedP(finding);
      return [
        textCell(row.label, { code: true }),
        textCell(formatValue(row.value, "points", { tty: true }), { mood: row.mood, bar: row.value / reach }),
        textCell(row.details.map((testers) => testers ?? "-").join(" → ")),
        textCell(
          describeJudgement(finding),
          finding && isCounted(finding.status) ? { mood: getKindMood(finding.kind) } : {},
        ),
        textCell(chance ?? "-"),
      ];
    }),
  }));
  return {
    kind: "table",
    caption: "Friction by tag, in both builds",
    columns: [
      { title: "Tag" },
      { title: "Points", right: true },
      { title: `Testers, ${versionTitle(friction.a.version)} → ${versionTitle(friction.b.version)}` },
      { title: "Gate" },
      { title: "Chance", right: true, wide: true },
    ],
    groups,
  };
}

/** What the gate says of a tag; what never counts is told by where it went. */
function describeJudgement(finding: GateFinding | undefined): string {
  if (finding === undefined) return "-";
  if (finding.status !== "off") return getStatusTitle(finding.status);
  if (finding.kind === "carried_over") return "About the same";
  return getKindMood(finding.kind) === "good" ? "Better" : "Off";
}

const isCounted = (status: string) => status === "failed" || status === "warned";

function buildEvidenceBlocks({ tags, isCut }: BuildFindings, worse: readonly string[]): ReportBlock[] {
  const told = tags.filter(({ tag, count }) => worse.includes(tag) && count > 0);
  const blocks = told.slice(0, MAX_TAGS).flatMap(({ tag, findings, count }): ReportBlock[] => [
    { kind: "heading", text: `${tag} (${formatCount(count, "finding")})` },
    {
      kind: "list",
      items: findings.map(({ title, sessionIds }) => [
        textCell(title),
        textCell(formatSessions(sessionIds), { code: true }),
      ]),
    },
  ]);
  const more = told.length - MAX_TAGS;
  const notes = [
    ...(more > 0 ? [`${formatCount(more, "further tag")} got worse.`] : []),
    ...(isCut ? ["Only the newest sessions and findings of the build were read."] : []),
  ];
  return notes.length === 0 ? blocks : [...blocks, { kind: "note", text: notes.join(" ") }];
}

/** The first session, and how many more. */
const formatSessions = ([first = "", ...more]: readonly string[]) =>
  more.length === 0 ? first : `${first} and ${more.length} more`;

export function quotesSection({ quotes }: ReportData): ReportSection {
  const blocks = blocksOrMissing(quotes, "What players wrote", (value): ReportBlock[] => {
    if (value.length === 0)
      return [{ kind: "text", text: "No player of the sessions above wrote anything." }];
    const told = value.map(({ text, question, sessionIds }) => ({
      text,
      source: `to “${question}”, in ${formatSessions(sessionIds)}`,
    }));
    return [{ kind: "quotes", quotes: told }];
  });
  return { id: "quotes", title: "In the players’ words", blocks };
}

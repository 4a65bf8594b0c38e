/** What changed for the players: every tag with its bar and judgement, what was found of those that got worse, and their words. */

import type { GateFinding } from "../../gate/verdict.ts";
import { reachOf } from "../../pictures/charts.ts";
import { frictionChart, moodOf } from "../../pictures/friction.ts";
import type { Found, ReportData } from "../../pictures/report.ts";
import { formatValue } from "../charts/values.ts";
import { chanceOf, countOf, titleOf } from "../gate/words.ts";
import { type Block, plain, type Section, type TableBlock, versionTitle } from "./blocks.ts";
import { orMissing } from "./missing.ts";

/** Tags told with their findings, and rows of a group, at most. */
const TOLD = 8;
const ROWS = 40;
const WORSE = ["introduced", "got_larger"];

export function frictionSection(data: ReportData): Section {
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
  const worse = friction.changes.filter(({ kind }) => WORSE.includes(kind)).map(({ tag }) => tag);
  const findings =
    worse.length === 0 ? [] : orMissing(found, "What was found of them", (value) => evidenceOf(value, worse));
  return {
    id: "friction",
    title: "What changed for players",
    blocks: [{ kind: "note", text: note }, tableOf(data), ...findings],
  };
}

function tableOf({ friction, verdict }: ReportData): TableBlock {
  const chart = frictionChart(friction);
  const reach = Math.max(1, reachOf(chart));
  const judged = new Map(verdict.findings.map((one) => [one.tag, one]));
  const groups = chart.groups.map(({ title, mood, rows }) => ({
    title: `${title} (${rows.length})${rows.length > ROWS ? `, the ${ROWS} largest` : ""}`,
    mood,
    rows: rows.slice(0, ROWS).map((row) => {
      const finding = judged.get(row.label);
      const chance = finding === undefined || finding.status === "off" ? null : chanceOf(finding);
      return [
        plain(row.label, { code: true }),
        plain(formatValue(row.value, "points", { tty: true }), { mood: row.mood, bar: row.value / reach }),
        plain(row.details.map((testers) => testers ?? "-").join(" → ")),
        plain(judgementOf(finding), finding && counts(finding.status) ? { mood: moodOf(finding.kind) } : {}),
        plain(chance ?? "-"),
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
function judgementOf(finding: GateFinding | undefined): string {
  if (finding === undefined) return "-";
  if (finding.status !== "off") return titleOf(finding.status);
  if (finding.kind === "carried_over") return "About the same";
  return moodOf(finding.kind) === "good" ? "Better" : "Off";
}

const counts = (status: string) => status === "failed" || status === "warned";

function evidenceOf({ tags, isCut }: Found, worse: readonly string[]): Block[] {
  const told = tags.filter(({ tag, count }) => worse.includes(tag) && count > 0);
  const blocks = told.slice(0, TOLD).flatMap(({ tag, findings, count }): Block[] => [
    { kind: "heading", text: `${tag} (${countOf(count, "finding")})` },
    {
      kind: "list",
      items: findings.map(({ title, sessionIds }) => [
        plain(title),
        plain(sessionsOf(sessionIds), { code: true }),
      ]),
    },
  ]);
  const more = told.length - TOLD;
  const notes = [
    ...(more > 0 ? [`${countOf(more, "further tag")} got worse.`] : []),
    ...(isCut ? ["Only the newest sessions and findings of the build were read."] : []),
  ];
  return notes.length === 0 ? blocks : [...blocks, { kind: "note", text: notes.join(" ") }];
}

/** The first session, and how many more. */
const sessionsOf = ([first = "", ...more]: readonly string[]) =>
  more.length === 0 ? first : `${first} and ${more.length} more`;

export function quotesSection({ quotes }: ReportData): Section {
  const blocks = orMissing(quotes, "What players wrote", (value): Block[] => {
    if (value.length === 0)
      return [{ kind: "text", text: "No player of the sessions above wrote anything." }];
    const told = value.map(({ text, question, sessionIds }) => ({
      text,
      source: `to “${question}”, in ${sessionsOf(sessionIds)}`,
    }));
    return [{ kind: "quotes", quotes: told }];
  });
  return { id: "quotes", title: "In the players’ words", blocks };
}

/** The cards that open a report: what is worse, with the worst room and what a tester wrote; what is better; the numbers. */
import type { ReportData, ReportQuote } from "../../charts/report.ts";
import { describeChange, formatSides, listOutcomes, selectShown } from "../../charts/scorecard.ts";
import { MAX_VERDICT_CHANGES, type SessionMoment } from "../../contract/verdict.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { linkTo, linkToMoment } from "../../shared/page-links.ts";
import { describeWatched } from "../gate/words.ts";
import { describeRoom } from "../heatmap/room.ts";
import { describeSessions } from "../status/text.ts";
import type { ReportBlock, ReportCell, ReportFact, ReportSection } from "./blocks.ts";
import { formatSessions } from "./friction.ts";

/** Sessions to watch for one change. */
const MAX_SESSIONS = 2;
/** UTF-16 units of the quote. */
const MAX_QUOTE = 280;

export function buildCards(data: ReportData): ReportSection[] {
  const { isTested } = data.scorecard;
  const shown = selectShown(data.scorecard).filter(({ decides }) => decides);
  const select = (status: TitledRow["status"], direction: number) =>
    shown
      .filter((row) => (isTested ? row.status === status : (row.difference ?? 0) * direction > 0))
      .slice(0, MAX_VERDICT_CHANGES);
  const [worse, better] = [select("worse", 1), select("better", -1)];
  const [suffix, chance] = isTested ? ["", " beyond chance"] : [" (not tested)", ""];
  return [
    {
      ...{ id: "worse", title: `What is worse${suffix}`, mood: "bad" },
      blocks: [
        ...listChanges(worse, `Nothing is worse${chance}.`, data),
        ...noteWatched(data),
        ...quoteTester(data),
        ...showWorstRoom(data),
      ],
    },
    {
      ...{ id: "better", title: `What is better${suffix}`, mood: "good" },
      blocks: listChanges(better, `Nothing is better${chance}.`, data),
    },
    {
      ...{ id: "numbers", title: "Numbers", mood: "neutral" },
      blocks: [{ kind: "facts", facts: listFacts(data) }],
    },
  ];
}

function listChanges(rows: readonly TitledRow[], none: string, data: ReportData): ReportBlock[] {
  if (rows.length === 0) return [{ kind: "text", text: none }];
  const found = new Map(data.found.ok ? data.found.value.map((row) => [row.metric, row.sessions]) : []);
  const items = rows.map((row): ReportCell[] => {
    return [
      { text: row.title, strong: true, line: true, ...toHref(data, linkToRow(row, data)) },
      { text: [formatSides(row), describeChange(row)].filter((text) => text !== "").join(", "), line: true },
      ...listMoments(found.get(row.metric) ?? [], data),
    ];
  });
  return [{ kind: "list", items }];
}

/** The insights with a tag, or where the sessions of a build ended. */
function linkToRow({ id, family }: TitledRow, { game, environment, verdict }: ReportData): string | null {
  const scope = { build: verdict.b.version, env: environment };
  if (family === "friction") return linkTo(["games", game.slug, "insights"], { ...scope, tag: id });
  return family === "quits" ? linkTo(["games", game.slug, "heatmap"], { ...scope, marks: "quits" }) : null;
}

/** Sessions to watch, each with its moment. */
export const listMoments = (sessions: readonly SessionMoment[], data: ReportData): ReportCell[] =>
  sessions.slice(0, MAX_SESSIONS).map((moment, at) => ({
    text: `${at === 0 ? "Watch " : ""}${describeSessions([moment])}`,
    ...toHref(data, linkToMoment(data.game.slug, moment)),
  }));

/** The address of a cell, if there is a console. */
export const toHref = ({ consoleUrl }: ReportData, path: string | null): Pick<ReportCell, "href"> =>
  consoleUrl === null || path === null ? {} : { href: `${consoleUrl}${path}` };

function noteWatched({ verdict }: ReportData): ReportBlock[] {
  const text = describeWatched(verdict);
  return text === null ? [] : [{ kind: "note", text }];
}

function showWorstRoom({ worstRoom }: ReportData): ReportBlock[] {
  if (worstRoom === null) return [];
  const rooms = worstRoom.rooms.map((room) => ({
    ...{ room, view: worstRoom },
    description: describeRoom(room, worstRoom, { tty: true }),
  }));
  const shapes = { deaths: "Crosses", quits: "Rings" } as const;
  const marks = worstRoom.marks
    .filter(({ isEmpty }) => !isEmpty)
    .map(({ kind, text }) => `${shapes[kind]}: ${text}.`)
    .join(" ");
  return [
    { kind: "rooms", colors: "", note: "", rooms },
    ...(marks === "" ? [] : [{ kind: "note" as const, text: marks }]),
  ];
}

/** What a tester wrote: in a session of the evidence if possible, and the longest answer, which says the most. */
function quoteTester({ quotes, found }: ReportData): ReportBlock[] {
  if (!quotes.ok) return [];
  const shown = new Set(
    (found.ok ? found.value : []).flatMap(({ sessions }) => sessions.map(({ sessionId }) => sessionId)),
  );
  const isShown = ({ sessionIds }: ReportQuote) => sessionIds.some((id) => shown.has(id));
  const [best] = quotes.value.quotes
    .filter(({ text }) => text.length <= MAX_QUOTE)
    .toSorted((x, y) => Number(isShown(y)) - Number(isShown(x)) || y.text.length - x.text.length);
  if (best === undefined) return [];
  const source = `Answer to “${best.question}” in ${formatSessions(best.sessionIds)}`;
  return [{ kind: "quotes", quotes: [{ text: best.text, source }] }];
}

function listFacts({ scorecard, verdict: { a, b } }: ReportData): ReportFact[] {
  const played = scorecard.rows.find(({ name }) => name === "active-time");
  const crashed = scorecard.rows.find(({ name }) => name === "crash");
  return [
    { label: "testers", value: `${a.testers} → ${b.testers}` },
    ...listOutcomes(scorecard),
    ...(played === undefined ? [] : [{ label: "mean active time per tester", value: formatSides(played) }]),
    ...(crashed === undefined ? [] : [{ label: "testers with a crash", value: formatSides(crashed) }]),
  ];
}

/** The status of a game at a terminal: the verdict, what to fix first, and the numbers of the build. */
import { nameCompletion } from "../../charts/scorecard.ts";
import { MIN_COMPARED_TESTERS } from "../../contract/build-order.ts";
import { describeEnvironment } from "../../contract/fields.ts";
import { type Problem, RECENT_DAYS, type Status } from "../../contract/status.ts";
import type { SessionMoment } from "../../contract/verdict.ts";
import { MIN_OUT_OF } from "../../scorecard/problems.ts";
import { describeSkipped } from "../../shared/build-words.ts";
import { describeFailed } from "../../shared/failed-analyses.ts";
import { toTagRoom } from "../../shared/tag-subjects.ts";
import { type AlignedCell, alignCells } from "../aligned.ts";
import { formatCount } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { paintParagraph, renderParagraph } from "../paragraph.ts";
import { shortenIds } from "../short-ids.ts";
import { painter } from "../style.ts";
import { formatMoment } from "../tables/event-text.ts";
import { cleanLine } from "../text.ts";
import { formatDuration, formatTime } from "../time.ts";
import { getMark } from "../verdict-marks.ts";

/** Sessions that are named for one problem. */
const MAX_SESSIONS = 2;

/** Sessions to watch with their moments, such as `sess_22ef2fe7 at 1:40`; empty without any. */
export function describeSessions(sessions: readonly SessionMoment[]): string {
  const shown = sessions.slice(0, MAX_SESSIONS);
  const short = shortenIds(shown.map(({ sessionId }) => sessionId));
  return shown
    .map(({ sessionId, activeSec }) => {
      const id = cleanLine(short.get(sessionId) ?? sessionId);
      return activeSec === null ? id : `${id} at ${formatMoment(activeSec)}`;
    })
    .join(", ");
}

const whoWords: Readonly<Record<string, string>> = {
  testers: " testers",
  entered: " who entered",
  answered: " who answered",
};

/** The testers who met a problem, such as `14 of 18 who entered`. */
export const describeAffected = ({ testers, outOf, who }: Omit<Problem, "sessions">): string =>
  `${testers} of ${outOf}${whoWords[who] ?? whoWords.testers}`;

/** The answer of a status in one line without its mark. */
export function answerStatus({ game, environment, build, noBuild, verdict }: Status): string {
  const where = environment === "all" ? "any environment" : environment;
  if (build === null && noBuild) return `${game.slug}: no registered build has sessions in ${where}`;
  if (build === null) return `${game.slug}: no build was played in ${where}`;
  if (verdict === null) return `${game.slug} ${build.version}: no build before it in ${where}`;
  return `${game.slug} ${verdict.answer}`;
}

/** The mark of a status: a build that is compared with no other is neither the same nor different. */
export const getStatusMark = ({ verdict }: Status) => getMark(verdict?.status ?? "inconclusive");

/** The view of one game, ending in a line feed. `command` is the command to run next. */
export function statusView(status: Status, command: string | null, options: RenderOptions): string {
  const { mark, style } = getStatusMark(status);
  const withArrows = (text: string) => cleanLine(options.plain ? text.replaceAll(" → ", " to ") : text);
  const paragraph = (text: string) => renderParagraph(withArrows(text), "  ", options);
  const lines = [
    ...paintParagraph(`${options.plain ? "" : `${mark} `}${answerStatus(status)}`, style, options),
    ...paragraph(describePlay(status, options)),
    ...renderProblems(status, options),
  ];
  const numbers = [describeBetter(status), describeFigures(status)].filter((text) => text !== "");
  if (numbers.length > 0) lines.push("", ...numbers.flatMap(paragraph));
  lines.push(...describeGaps(status).flatMap(paragraph));
  if (command !== null) lines.push(...paintParagraph(withArrows(command), "muted", options, "  "));
  return `${lines.join("\n")}\n`;
}

/** The rows that are better than in the build before; empty without any. */
function describeBetter({ verdict }: Status): string {
  const better = (verdict?.changes ?? []).filter(({ status }) => status === "better");
  return better.length === 0
    ? ""
    : `Better: ${better.map(({ title, found }) => `${title} ${found}`).join(" · ")}`;
}

function describePlay({ environment, build, recentSessions }: Status, options: RenderOptions): string {
  const where = describeEnvironment(environment);
  if (build === null) return `${where} · ${describeRecent(recentSessions)}`;
  const { testers, sessions, lastPlayedAt } = build;
  const counts = `${formatCount(testers, "tester")}, ${formatCount(sessions, "session")}`;
  return `${where} · ${counts}, last ${formatTime(lastPlayedAt, options)}`;
}

const describeRecent = (sessions: number): string =>
  `all builds: ${formatCount(sessions, "session")} in ${RECENT_DAYS} days`;

/** What is known if no problem is ranked: too few testers show nothing, and neither do sessions without an analysis or services without facts. */
export function describeNoProblems({ testers, sessions, unanalyzed }: NonNullable<Status["build"]>): string {
  if (unanalyzed === null)
    return "Which problems testers met is not known: this service does not count them.";
  if (unanalyzed >= sessions) return "No session of it is analyzed yet.";
  if (testers < MIN_OUT_OF) return `Problems are ranked from ${MIN_OUT_OF} testers on.`;
  return `No problem that 2 or more testers met, among ${MIN_OUT_OF} or more who could.`;
}

function renderProblems({ build, fixFirst }: Status, options: RenderOptions): string[] {
  if (build === null) return [];
  if (fixFirst.length === 0) return ["", `  ${describeNoProblems(build)}`];
  const rows = fixFirst.map((problem, at): AlignedCell[] => [
    { text: String(at + 1) },
    { text: problem.title, style: "strong" },
    { text: describeAffected(problem) },
    { text: describeSessions(problem.sessions), isOptional: true },
  ]);
  const wide = alignCells(rows, "  ", options);
  const fits = fixFirst.every(({ sessions }, at) => {
    const text = describeSessions(sessions);
    return text === "" || (wide[at] ?? "").includes(text);
  });
  const lines = wide.flatMap((line, at) => {
    const sessions = describeSessions(fixFirst[at]?.sessions ?? []);
    return fits || sessions === "" ? [line] : [line, `     ${sessions}`];
  });
  return ["", painter(options)("  Fix first", "strong"), ...lines];
}

function describeFigures({ build, rating, completed, mostQuit, fixFirst, recentSessions }: Status): string {
  if (build === null) return "";
  const percent = (share: number) => `${Math.round(100 * share)}%`;
  const change = (before: number | null, now: number, format: (value: number) => string) =>
    before === null || format(before) === format(now) ? format(now) : `${format(before)} → ${format(now)}`;
  const isNamed = mostQuit !== null && fixFirst.some(({ id }) => id === `quit:${toTagRoom(mostQuit.room)}`);
  return [
    ...(rating
      ? [`“${rating.label}” ${change(rating.before, rating.now, (value) => value.toFixed(1))}`]
      : []),
    ...(completed
      ? [`${nameCompletion(completed.rooms)} ${change(completed.before, completed.now, percent)}`]
      : []),
    ...(mostQuit && !isNamed
      ? [`most quit in ${mostQuit.room}: ${mostQuit.quit} of ${mostQuit.entered}`]
      : []),
    ...(build.medianSec === null ? [] : [`median session ${formatDuration(build.medianSec)}`]),
    ...(build.crashes === null ? [] : [`${formatCount(build.crashes, "tester")} with a crash`]),
    describeRecent(recentSessions),
  ].join(" · ");
}

/** What is not known yet, and the builds that are not compared. */
export function describeGaps({ build, verdict, skipped }: Status): string[] {
  if (build === null) return [];
  const { unanalyzed, failed, failure, outdated, outdatedPruned } = build;
  const before = verdict === null ? null : { version: verdict.a.version, skipped: skipped ?? [] };
  const note = before === null ? null : describeSkipped(before, MIN_COMPARED_TESTERS);
  return [
    ...(note === null ? [] : [note.replaceAll("`", "")]),
    ...(unanalyzed === null || unanalyzed === 0
      ? []
      : [`${formatCount(unanalyzed, "session")} not analyzed yet`]),
    ...(outdated
      ? [`${formatCount(outdated, "session")} analyzed by older rules, to be analyzed again`]
      : []),
    ...(outdatedPruned
      ? [`${formatCount(outdatedPruned, "session")} only analyzed by older rules: the events are pruned`]
      : []),
    ...(failed === null || failed === 0
      ? []
      : [describeFailed(formatCount(failed, "session"), failure).replaceAll("`", "")]),
  ];
}

/** One line for each of several games, ending in a line feed. */
export function gamesView(statuses: readonly Status[], options: RenderOptions): string {
  const rows = statuses.map((status): AlignedCell[] => {
    const { mark, style } = getStatusMark(status);
    const { build } = status;
    return [
      ...(options.plain ? [] : [{ text: mark, style }]),
      { text: answerStatus(status), style },
      { text: build === null ? "" : formatCount(build.testers, "tester"), align: "right", isOptional: true },
      { text: build === null ? "" : formatTime(build.lastPlayedAt, options), isOptional: true },
    ];
  });
  return `${alignCells(rows, "", options).join("\n")}\n`;
}

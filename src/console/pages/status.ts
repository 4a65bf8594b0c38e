/** The start of a game: the verdict about its latest build, what to fix first, and its numbers. */

import { nameCompletion } from "../../charts/scorecard.ts";
import { getStatus, type Problem, RECENT_DAYS, type Status } from "../../contract/status.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { formatCount, formatNumber } from "../../render/numbers.ts";
import {
  answerStatus,
  describeAffected,
  describeGaps,
  describeNoProblems,
  getStatusMark,
} from "../../render/status/text.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { formatDuration, isoTime } from "../../render/time.ts";
import { getRowMark } from "../../render/verdict-marks.ts";
import { capitalize } from "../../shared/words.ts";
import { formatIsoTime } from "../cells.ts";
import { toFlags } from "../command-line.ts";
import { emptyNote, linkList } from "../details.ts";
import { factList, markSpan, section, verdictBox } from "../elements.ts";
import { toListEnv } from "../filter-form.ts";
import { gameLink } from "../links.ts";
import { definePage, type PageContext, textParam } from "../page.ts";
import { readPlayScope, resolveBuild, THE_LATEST } from "../play-scope.ts";
import { survivalSection } from "../survival.ts";
import { watchLinks } from "../watch.ts";

export const statusPage = definePage({
  path: "/games/{game}",
  query: { build: textParam, env: textParam },
  async show({ params: { game }, query }, { call }) {
    const played = await readPlayScope(game, query.env, call);
    const { env } = played;
    const build =
      query.build === undefined ? undefined : ((await resolveBuild(query.build, played, call)) ?? undefined);
    const data = await call(getStatus, { game, env, build });
    return {
      title: data.game.name,
      scope: { anyBuild: THE_LATEST, fallback: played.fallback },
      body: fragment(
        renderAnswer(data),
        data.build === null
          ? emptyNote(
              data.noBuild ?? "No sessions yet. A build appears with the first telemetry that names it.",
            )
          : await renderBuild(data, { game, env, build: data.build }, call),
      ),
      command: ["status", "--game", game, ...toFlags({ "--build": query.build, "--env": query.env })],
      data,
    };
  },
});

/** What links to other pages keep. */
interface StatusScope {
  readonly game: string;
  readonly env: string | undefined;
  readonly build: NonNullable<Status["build"]>;
}

function renderAnswer(data: Status): Markup {
  return verdictBox(
    { ...getStatusMark(data), answer: answerStatus(data) },
    renderPlay(data),
    describeGaps(data).map((text) => el("p", text)),
  );
}

function renderPlay({ build, recentSessions }: Status): Markup {
  const recent = `all builds: ${formatCount(recentSessions, "session")} in ${RECENT_DAYS} days`;
  if (build === null) return el("p", recent);
  const at = isoTime(build.lastPlayedAt);
  return el(
    "p",
    `${formatCount(build.testers, "tester")}, ${formatCount(build.sessions, "session")}, last played `,
    el("time", { datetime: at }, formatIsoTime(at)),
    ` · ${recent}`,
  );
}

/** The width of the curve beside the problems, pixels. */
const CURVE_WIDTH = 600;

async function renderBuild(data: Status, scope: StatusScope, call: PageContext["call"]): Promise<Markup> {
  const { game, env } = scope;
  const { verdict, mostQuit, fixFirst } = data;
  const build = scope.build.version;
  const before = verdict?.a.version ?? null;
  const filter = { build, env: toListEnv(env) };
  return fragment(
    linkList("About this build", [
      before && [`Compare with ${before}`, gameLink(game, "compare", { a: before, b: build, env })],
      before && ["Report", gameLink(game, "report", { a: before, b: build, env })],
      ["What to fix first", gameLink(game, "suggestions", { build, env })],
      mostQuit && ["Where testers quit", gameLink(game, "dropoff", { build, env })],
      ["Funnel", gameLink(game, "funnel", { build, env })],
      ["Sessions to watch", gameLink(game, "sessions", { ...filter, sort: "watch" })],
      ["All insights", gameLink(game, "insights", filter)],
      ["All figures", gameLink(game, ["builds", build], { env })],
    ]),
    el(
      "div",
      { class: "pair" },
      section(
        "fix",
        "Fix first",
        fixFirst.length === 0
          ? emptyNote(describeNoProblems(scope.build))
          : el(
              "ol",
              { class: "problems" },
              fixFirst.map((problem) => renderProblem(problem, scope)),
            ),
      ),
      await survivalSection({ game, env, build, before }, CURVE_WIDTH, call),
    ),
    el(
      "div",
      { class: "pair" },
      verdict === null || verdict.changes.length === 0
        ? null
        : section("changes", `What changed since ${verdict.a.version}`, renderChanges(verdict)),
      section("numbers", "Numbers", renderFigures(data, scope)),
    ),
  );
}

function renderProblem(problem: Problem, { game, env, build: { version: build } }: StatusScope): Markup {
  const { id, title, sessions } = problem;
  const href = id.startsWith("quit:")
    ? gameLink(game, "dropoff", { build, env })
    : gameLink(game, "insights", { build, env: toListEnv(env), tag: id });
  return el(
    "li",
    el("a", { href, class: "strong" }, title),
    el("span", { class: "note" }, ` ${describeAffected(problem)}`),
    watchLinks(sessions, game),
  );
}

/** The numbers, each with a link to what it counts. */
function renderFigures({ rating, completed }: Status, { game, env, build }: StatusScope): Markup {
  const { version } = build;
  const inList = (list: string) => gameLink(game, list, { build: version, env: toListEnv(env) });
  const inPlay = (page: string) => gameLink(game, page, { build: version, env });
  const percent = (share: number) => `${Math.round(100 * share)}%`;
  const was = (before: number | null, format: (value: number) => string) =>
    before === null ? "" : ` (was ${format(before)})`;
  const number = (value: number) => formatNumber(value, { tty: true });
  const facts: Array<readonly [label: string, value: string, href: string]> = [
    ["Testers", number(build.testers), inList("testers")],
    ["Sessions", number(build.sessions), inList("sessions")],
  ];
  if (rating !== null) {
    const label = `${rating.label}${was(rating.before, (value) => value.toFixed(1))}`;
    facts.push([label, rating.now.toFixed(1), inPlay("feedback")]);
  }
  if (completed !== null)
    facts.push([
      `${capitalize(nameCompletion(completed.rooms))}${was(completed.before, percent)}`,
      percent(completed.now),
      inPlay("dropoff"),
    ]);
  if (build.medianSec !== null)
    facts.push([
      ...(["Median session", formatDuration(build.medianSec)] as const),
      gameLink(game, ["builds", version], { env }),
    ]);
  if (build.crashes !== null) facts.push(["Testers with a crash", number(build.crashes), inPlay("crashes")]);
  return factList(facts.map(([label, value, href]) => [label, el("a", { href }, value)]));
}

function renderChanges({ changes }: Verdict): Markup {
  return el(
    "ul",
    { class: "marked" },
    changes.map(({ title, status, found, change }) =>
      el(
        "li",
        el(
          "span",
          { class: classes[status] ?? "strong" },
          markSpan(getRowMark(status, !change.startsWith("-"))),
          title,
        ),
        ` ${[found, change].filter((text) => text !== "").join(", ")}`,
      ),
    ),
  );
}

const classes: Readonly<Record<string, string>> = { worse: "bad strong", better: "good strong" };

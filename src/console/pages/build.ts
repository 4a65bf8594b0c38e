/** One build of a game: its totals and summary, and where its testers quit. */
import { isKnownBuild } from "../../contract/build-order.ts";
import { getBuild } from "../../contract/builds.ts";
import type { Output } from "../../contract/define.ts";
import { DEFAULT_ENV, describeEnvironment } from "../../contract/fields.ts";
import { getStatus } from "../../contract/status.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { buildDetails } from "../../render/tables/build-details.ts";
import { getMark } from "../../render/verdict-marks.ts";
import { CELLS } from "../cells.ts";
import { toFlags } from "../command-line.ts";
import { detailList, emptyNote, linkList } from "../details.ts";
import { section, verdictBox } from "../elements.ts";
import { findDefaultEnvironment, toListEnv, toPlayEnv } from "../filter-form.ts";
import { gameLink } from "../links.ts";
import { definePage, textParam } from "../page.ts";

type Build = Output<typeof getBuild>;

export const buildPage = definePage({
  path: "/games/{game}/builds/{version}",
  query: { env: textParam },
  async show({ params: { game, version }, query }, { call }) {
    const chosen = await call(getBuild, { game, version, env: query.env });
    const played = chosen.rollup.environments ?? [];
    const fallback = await findDefaultEnvironment(game, played, call);
    const env = toPlayEnv(query.env, fallback);
    const data = env === query.env ? chosen : await call(getBuild, { game, version, env });
    const environment = env ?? DEFAULT_ENV;
    const { verdict } = isKnownBuild(data.rollup)
      ? await call(getStatus, { game, build: version, env })
      : { verdict: null };
    const { summary } = data;
    const filter = { build: version, env: toListEnv(env) };
    return {
      title: `Build ${version}`,
      trail: [["builds", "Builds"]],
      scope: { fallback, build: version },
      body: fragment(
        verdict &&
          renderVerdict(verdict, gameLink(game, "compare", { a: verdict.a.version, b: version, env })),
        linkList("About this build", [
          ["Sessions", gameLink(game, "sessions", filter)],
          ["Insights", gameLink(game, "insights", filter)],
          ["Heatmap", gameLink(game, "heatmap", { build: version, env })],
          ["Where testers quit", gameLink(game, "dropoff", { build: version, env })],
        ]),
        section(
          "summary",
          `Summary of ${describeEnvironment(environment)}`,
          summary
            ? el("p", summary.narrative)
            : emptyNote(
                "No summary is stored. The service writes one some minutes after it has analyzed 5 sessions of the build.",
              ),
        ),
        section("details", "All figures", renderDetails(data, env)),
      ),
      command: ["builds", "get", version, "--game", game, ...toFlags({ "--env": env })],
      data,
    };
  },
});

/** Whether the build is better than the one before it, with a link to why. */
const renderVerdict = ({ a, status, answer }: Verdict, href: string): Markup =>
  verdictBox(
    { ...getMark(status), answer },
    el("p", `Is it better than ${a.version}? `, el("a", { href }, "See the comparison")),
  );

/** The details that the heading and the summary do not show. */
function renderDetails(data: Build, env: string | undefined): Markup {
  const [, , ...details] = buildDetails(data, env, CELLS).slice(0, -1);
  return detailList(details);
}

/** One tester: totals, and the journey through all sessions. */
import { journeyChart } from "../../charts/journey.ts";
import { getTester, getTesterJourney, type JourneyEntry } from "../../contract/testers.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { listEntryTags } from "../../render/tables/journey-text.ts";
import { journeyColumns } from "../../render/tables/journeys.ts";
import { testerDetails } from "../../render/tables/tester-details.ts";
import { formatDuration, isoTime } from "../../render/time.ts";
import { CELLS, formatIsoTime } from "../cells.ts";
import { chartFigure } from "../chart-figure.ts";
import { toFlags, toLastArguments } from "../command-line.ts";
import { detailList, emptyNote, noteText } from "../details.ts";
import { section } from "../elements.ts";
import { withoutAll } from "../filter-form.ts";
import { buildLink, RESERVED_TESTER, sessionLink } from "../links.ts";
import { definePage, InvalidAddress, sortParams, textParam } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";

/** The number of sessions whose findings are listed. The table has all of them. */
const MAX_ENTRIES = 50;

const columns = chooseColumns(journeyColumns, [
  "session.title",
  "session.recordedAt",
  "session.metadata.gameVersion",
  "session.environment",
  "session.status",
  "session.duration",
  "insights",
]);

/** The details that the page shows elsewhere. */
const REPEATED: ReadonlySet<string> = new Set(["Tester", "Game", "Summary"]);

export const testerPage = definePage({
  path: "/games/{game}/testers/{tester}",
  query: { env: textParam, ...sortParams },
  async show({ params: { game, tester }, query, ...input }, { call }) {
    const env = withoutAll(query.env);
    if (tester === RESERVED_TESTER)
      throw new InvalidAddress(`\`${RESERVED_TESTER}\` is reserved and cannot be a tester`);
    const data = await call(getTesterJourney, { game, deviceId: tester, env });
    const totals = await call(getTester, { game, deviceId: tester, env });
    const { journey } = data;
    const facts = testerDetails(totals, CELLS).filter(([label]) => !REPEATED.has(label));
    const story = journey.summary === "" ? null : el("p", journey.summary);
    return {
      title: journey.tester.identityLabel,
      trail: [["testers", "Testers"]],
      body: fragment(
        story,
        detailList(facts, { "Last build": buildLink(game, totals.rollup.lastBuild) }),
        env === undefined
          ? null
          : noteText(`The sessions below are those in ${env}. The totals cover all environments.`),
        section(
          "journey",
          "Journey",
          journey.entries.length < 2 ? null : chartFigure("Chart of the journey", journeyChart(journey)),
          dataTable(journey.entries, columns, {
            caption: "Sessions of the tester, oldest first",
            link: ({ session }) => sessionLink(game, session.id),
            links: {
              "session.metadata.gameVersion": ({ session }) => buildLink(game, session.metadata.gameVersion),
            },
            stacks: true,
            empty: env === undefined ? "No sessions." : `No sessions in ${env}.`,
            sortable: input,
          }),
        ),
        section("findings", "Findings by session", findings(game, journey.entries)),
      ),
      command: [
        "testers",
        "journey",
        "--game",
        game,
        ...toFlags({ "--env": env }),
        ...toLastArguments([tester]),
      ],
      data,
    };
  },
});

/** The friction and praise of each session, oldest first. */
function findings(game: string, entries: readonly JourneyEntry[]): Markup {
  const found = entries.filter((entry) => listEntryTags(entry).length > 0);
  if (found.length === 0) return emptyNote("No friction and no praise was found in these sessions.");
  const shown = found.slice(-MAX_ENTRIES);
  return fragment(
    found.length > shown.length &&
      noteText(`The last ${shown.length} of ${found.length} sessions with findings.`),
    el(
      "ul",
      shown.map((entry) => finding(game, entry)),
    ),
  );
}

function finding(game: string, entry: JourneyEntry): Markup {
  const { id, recordedAt, duration, metadata } = entry.session;
  return el(
    "li",
    el("a", { href: sessionLink(game, id) }, formatIsoTime(isoTime(recordedAt))),
    `, build ${metadata.gameVersion}, ${formatDuration(duration)}`,
    el(
      "ul",
      listEntryTags(entry).map(({ text, style }) => el("li", { class: style }, text)),
    ),
  );
}

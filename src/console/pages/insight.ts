/** One insight with the events and words that it is based on. */
import { getInsight, type InsightEvidence } from "../../contract/insight-evidence.ts";
import { renderBlock } from "../../render/html/blocks.ts";
import { fragment, type Markup } from "../../render/svg/element.ts";
import {
  describeEvents,
  insightDetails,
  QUOTES_TITLE,
  selectEventColumns,
  UNASKED,
} from "../../render/tables/insight-details.ts";
import { describeNoEvents } from "../../render/tables/insights.ts";
import { CELLS } from "../cells.ts";
import { detailList, linkList, noteText } from "../details.ts";
import { section } from "../elements.ts";
import { gameLink } from "../links.ts";
import { definePage, NotThere, type PageInput, requireGame, sortParams } from "../page.ts";
import { dataTable } from "../table.ts";

export const insightPage = definePage({
  path: "/games/{game}/insights/{id}",
  query: sortParams,
  async show({ params: { game, id }, ...input }, { call }) {
    const { id: gameId } = await requireGame(game, call);
    const data = await call(getInsight, { id });
    if (data.gameId !== gameId)
      throw new NotThere(`insight ${JSON.stringify(id)} of game ${JSON.stringify(game)}`);
    const { insight } = data;
    return {
      title: insight.title ?? insight.type,
      trail: [["insights", "Insights"]],
      scope: { build: data.build, env: data.environment },
      body: fragment(
        renderFacts(data, game),
        renderQuotes(data),
        section("events", "Events", renderEvents(data, input)),
      ),
      command: ["insights", "get", insight.id],
      data,
    };
  },
});

function renderFacts(data: InsightEvidence, game: string): Markup {
  const { insight, build, tester } = data;
  const who = tester.handle ?? tester.deviceId ?? null;
  // The heading is the first of them.
  const [, ...details] = insightDetails(data, CELLS);
  const { tag } = insight;
  return fragment(
    detailList(details, {
      Tag: tag == null ? null : gameLink(game, "insights", { tag }),
      Tester: who === null ? null : gameLink(game, ["testers", who]),
      Session: gameLink(game, ["sessions", insight.sessionId]),
      Build: gameLink(game, ["builds", build]),
    }),
    linkList("More about this", [
      ["The session", gameLink(game, ["sessions", insight.sessionId])],
      tag != null && ["The tag over builds", gameLink(game, "builds", { tag })],
    ]),
  );
}

function renderQuotes({ quotes }: InsightEvidence): Markup | null {
  if (quotes.length === 0) return null;
  return section(
    "quotes",
    QUOTES_TITLE,
    renderBlock({
      kind: "quotes",
      quotes: quotes.map(({ id, question, text }) => ({ text, source: `${question ?? UNASKED} (${id})` })),
    }),
  );
}

function renderEvents(data: InsightEvidence, input: Pick<PageInput, "path" | "search">): Markup {
  return fragment(
    dataTable(data.events, selectEventColumns(data), {
      caption: "Events that the insight refers to",
      empty: describeNoEvents(data),
      sortable: input,
    }),
    describeEvents(data).map((note) => noteText(note)),
  );
}

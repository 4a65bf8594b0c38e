/** Pages of lists that are more than their definitions. */

import { type CrashGroup, type CrashPage, crashes } from "../../contract/crashes.ts";
import { experiments, listGameExperiments } from "../../contract/experiments.ts";
import { games, listGames } from "../../contract/games.ts";
import { insights } from "../../contract/insights.ts";
import { type SessionItem, sessions, WATCH } from "../../contract/sessions.ts";
import { neverPlayed, testers } from "../../contract/tester-list.ts";
import { type Child, el } from "../../render/svg/element.ts";
import { toColumns } from "../../render/tables/columns.ts";
import { describeCrashScope } from "../../render/tables/crashes.ts";
import { WATCHED, watchedColumns } from "../../render/tables/sessions.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { noteText } from "../details.ts";
import { gameLink, linkTo } from "../links.ts";
import { definePage, sortParams } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { createListPage } from "./resource-pages.ts";

const describeScope = (data: CrashPage) => describeCrashScope(data, "a build or a time");

export const crashesPage = createListPage<CrashGroup, CrashPage>(crashes, {
  before: ({ data }) => (data.items.length === 0 ? null : el("p", describeScope(data))),
  empty: ({ data }) => `${describeScope(data)} Omit a filter, or enter “all” as the environment.`,
  link: ({ sessionId }, game) => `${gameLink(game, ["sessions", sessionId], { event: EVENTS.crash })}#events`,
});

export const insightsPage = createListPage(insights, {
  before: ({ game, query: { tag, env } }) =>
    tag === undefined
      ? null
      : el(
          "p",
          el(
            "a",
            { href: gameLink(game, "builds", { tag, env }) },
            "How many testers of each build have this tag",
          ),
        ),
});

/** The column of the moment at which the clearest problem showed. It leads to the events around it. */
const WORST_KEY = "watch.worst.activeSec";

const worstLink = ({ id, watch }: SessionItem, game: string) =>
  watch?.worst ? `${gameLink(game, ["sessions", id], { around: watch.worst.insightId })}#events` : null;

export const sessionsPage = createListPage<SessionItem>(sessions, {
  table: ({ query, game }) =>
    query.sort === WATCH
      ? {
          columns: pageWatchedColumns,
          caption: WATCHED,
          links: { [WORST_KEY]: (row) => worstLink(row, game) },
        }
      : null,
});

const pageWatchedColumns = chooseColumns(watchedColumns, [
  ...["title", "watch.problems", "watch.lastRoom", "watch.rating", WORST_KEY],
  ...["metadata.gameVersion", "recordedAt", "testerHandle"],
]);

export const testersPage = createListPage(testers, {
  note: ({ game }) =>
    noteText(
      "A tester is a device; a session without a device counts as its own tester. ",
      el("a", { href: gameLink(game, "never-played") }, "Who was invited but never played"),
    ),
  command: ["testers", "list"],
});

export const neverPlayedPage = createListPage(neverPlayed, {
  note: () =>
    noteText(
      "Invites and playtest keys that no session belongs to. Without a linked device, the service cannot recognize the tester: " +
        "the column Played is then “unknown”. Play without telemetry is never counted.",
    ),
  command: ["testers", "list", "--never-played"],
});

export const gamesPage = definePage({
  path: "/",
  query: sortParams,
  async show(input, { call }) {
    const data = await call(listGames, {});
    return {
      title: "Games",
      body: dataTable(data.games, gameColumns, {
        caption: "Games",
        stacks: true,
        link: ({ slug }) => linkTo(["games", slug]),
        empty: withCommand("No games yet. A game appears with its first telemetry, or with ", "games create"),
        sortable: input,
      }),
      command: ["games", "list"],
      data,
    };
  },
});

const gameColumns = chooseColumns(toColumns(games), ["name", "slug", "createdAt"]);

export const experimentsPage = definePage({
  path: "/games/{game}/experiments",
  query: sortParams,
  async show({ params: { game }, ...input }, { call }) {
    const data = await call(listGameExperiments, { id: game });
    return {
      title: "Experiments",
      body: dataTable(data.experiments, experimentColumns, {
        caption: "Experiments, newest first",
        stacks: true,
        link: ({ id }) => gameLink(game, ["experiments", id]),
        empty: withCommand("No experiments yet. Create one with ", "experiments create"),
        sortable: input,
      }),
      command: ["experiments", "list", "--game", game],
      data,
    };
  },
});

const experimentColumns = chooseColumns(toColumns(experiments), [
  ...["name", "status", "variants", "winnerVariantKey", "startedAt", "stoppedAt"],
]);

const withCommand = (text: string, command: string): Child => [
  text,
  el("code", `playtest admin ${command}`),
  ".",
];

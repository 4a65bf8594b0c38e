/** The sessions of a game, with filters. */
import { listSessions, type Session, sessionSources, sessionStatuses } from "../../contract/sessions.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { sessionColumns } from "../../render/tables/sessions.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { pager } from "../elements.ts";
import { filterForm, timeField } from "../filter-form.ts";
import { buildLink, sessionLink, testerLink, trailTo } from "../game-links.ts";
import { choiceParam, definePage, readTime, textParam, timeParam } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { PAGE_SIZE, pagedParams, toPageFlags } from "./list.ts";

/** The columns of lists of sessions, with the linked column first. */
export const shownSessionColumns = chooseColumns(sessionColumns, [
  "title",
  "metadata.gameVersion",
  "environment",
  "status",
  "duration",
  "recordedAt",
  "testerHandle",
]);

/** The addresses that the cells of a session link to, by the key of their column. */
export const sessionCellLinks = (game: string) => ({
  "metadata.gameVersion": ({ metadata }: Session) => buildLink(game, metadata.gameVersion),
  testerHandle: ({ deviceId, testerHandle }: Session) => testerLink(game, deviceId ?? testerHandle),
});

export const sessionsPage = definePage({
  path: "/games/{game}/sessions",
  query: {
    build: textParam,
    env: textParam,
    status: choiceParam(sessionStatuses),
    source: choiceParam(sessionSources),
    q: textParam,
    from: timeParam,
    to: timeParam,
    ...pagedParams,
  },
  async show({ params: { game }, query, ...input }, { call, now }) {
    const { offset = 0, from, to, ...filter } = query;
    const range = { from: readTime(from, now), to: readTime(to, now) };
    const data = await call(listSessions, { game, ...filter, ...range, limit: PAGE_SIZE, offset });
    const { build, env, status, source, q } = filter;
    const isFiltered = Object.values({ ...filter, ...range }).some((value) => value !== undefined);
    return {
      title: "Sessions",
      trail: trailTo(game),
      game,
      live: true,
      body: fragment(
        filterForm(input, [
          {
            ...{ name: "build", label: "Build", placeholder: "all" },
            suggestions: data.items.map(({ metadata }) => metadata.gameVersion),
          },
          {
            ...{ name: "env", label: "Environment", placeholder: "all" },
            suggestions: data.items.map(({ environment }) => environment),
          },
          {
            name: "status",
            label: "Status",
            choices: sessionStatuses.map((value) => ({ value })),
            any: "all",
          },
          {
            name: "source",
            label: "Source",
            choices: sessionSources.map((value) => ({ value })),
            any: "all",
          },
          timeField("from", "From"),
          timeField("to", "To"),
          { name: "q", label: "Title contains" },
        ]),
        dataTable(data.items, shownSessionColumns, {
          caption: "Sessions, newest first",
          link: ({ id }) => sessionLink(game, id),
          links: sessionCellLinks(game),
          stacks: true,
          empty: el("p", {}, isFiltered ? NO_SESSIONS_MATCH : NO_SESSIONS),
        }),
        pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
      ),
      command: [
        ...["sessions", "list", "--game", game],
        ...toFlags({ "--build": build, "--env": env, "--status": status, "--source": source }),
        ...toFlags({ "--query": q }),
        ...toTimeFlags({ "--from": from, "--to": to }),
        ...toPageFlags(offset),
      ],
      data,
    };
  },
});

const NO_SESSIONS = "No sessions yet. They appear with the first telemetry of the game.";
const NO_SESSIONS_MATCH = "No sessions match. Omit a filter to see more.";

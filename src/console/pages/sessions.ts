/** The sessions of a game, with filters. */
import { listSessions, sessionSources, sessionStatuses } from "../../contract/sessions.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { sessionColumns } from "../../render/tables/sessions.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { dataTable, filterForm, pager } from "../elements.ts";
import { linkTo } from "../links.ts";
import { choiceParam, definePage, readTime, textParam, timeParam } from "../page.ts";
import { PAGE_SIZE, pagedParams, toPageFlags } from "./list.ts";

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
    return {
      title: "Sessions",
      trail: [{ text: game, href: linkTo(["games", game, "builds"]) }],
      game,
      live: true,
      body: fragment(
        filterForm(input, [
          { name: "build", label: "Build", placeholder: "all" },
          { name: "env", label: "Environment", placeholder: "all" },
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
          { name: "from", label: "From", placeholder: "7d" },
          { name: "to", label: "To" },
          { name: "q", label: "Text" },
        ]),
        dataTable(data.items, sessionColumns, {
          caption: "Sessions, newest first",
          link: ({ id }) => linkTo(["games", game, "sessions", id]),
          empty: el("p", {}, "No sessions match."),
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

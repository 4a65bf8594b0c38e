/** Crashes by stack signature, those of most testers first. */
import { listCrashes } from "../../contract/crashes.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { crashColumns, describeCrashScope } from "../../render/tables/crashes.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { pager } from "../elements.ts";
import { filterForm, timeField } from "../filter-form.ts";
import { buildLink, trailTo } from "../game-links.ts";
import { linkTo } from "../links.ts";
import { definePage, readTime, textParam, timeParam } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { PAGE_SIZE, pagedParams, toPageFlags } from "./list.ts";

/** The signature first, because it leads to the session of the last crash. */
const columns = chooseColumns(crashColumns, [
  "signature",
  "testerCount",
  "crashCount",
  "builds",
  "lastSeen",
  "firstBuild",
]);

export const crashesPage = definePage({
  path: "/games/{game}/crashes",
  query: { build: textParam, env: textParam, from: timeParam, to: timeParam, ...pagedParams },
  async show({ params: { game }, query, ...input }, { call, now }) {
    const { build, env, from, to, offset = 0 } = query;
    const range = { from: readTime(from, now), to: readTime(to, now) };
    const data = await call(listCrashes, { game, build, env, ...range, limit: PAGE_SIZE, offset });
    const scope = describeCrashScope(data, "a build or a time");
    return {
      title: "Crashes",
      trail: trailTo(game),
      game,
      body: fragment(
        filterForm(input, [
          { name: "build", label: "Build", placeholder: "all" },
          { name: "env", label: "Environment", placeholder: "production" },
          timeField("from", "From"),
          timeField("to", "To"),
        ]),
        data.items.length === 0 ? null : el("p", {}, scope),
        dataTable(data.items, columns, {
          caption: "Crashes by stack signature. Each row leads to the session with the last crash",
          link: ({ sessionId }) =>
            `${linkTo(["games", game, "sessions", sessionId], { event: EVENTS.crash })}#events`,
          links: { firstBuild: ({ firstBuild }) => buildLink(game, firstBuild) },
          stacks: true,
          empty: el("p", {}, `${scope} Omit a filter, or enter “all” as the environment.`),
        }),
        pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
      ),
      command: [
        ...["crashes", "list", "--game", game],
        ...toFlags({ "--build": build, "--env": env }),
        ...toTimeFlags({ "--from": from, "--to": to }),
        ...toPageFlags(offset),
      ],
      data,
    };
  },
});

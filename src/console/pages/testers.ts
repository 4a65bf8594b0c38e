/** The testers of a game, or the people who were invited but never played. */
import { listNeverPlayed, listTesters } from "../../contract/tester-list.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { neverPlayedColumns, testerColumns } from "../../render/tables/testers.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { pager } from "../elements.ts";
import { filterForm, timeField } from "../filter-form.ts";
import { testerLink, trailTo } from "../game-links.ts";
import { linkTo } from "../links.ts";
import { definePage, readTime, textParam, timeParam } from "../page.ts";
import { dataTable } from "../table.ts";
import { PAGE_SIZE, pagedParams, sortParams, toPageFlags } from "./list.ts";

export const testersPage = definePage({
  path: "/games/{game}/testers",
  query: {
    build: textParam,
    env: textParam,
    after: timeParam,
    before: timeParam,
    ...sortParams,
    ...pagedParams,
  },
  async show({ params: { game }, query, ...input }, { call, now }) {
    const { build, env, after, before, offset = 0 } = query;
    const seen = { lastSeenAfter: readTime(after, now), lastSeenBefore: readTime(before, now) };
    const data = await call(listTesters, { game, build, env, ...seen, limit: PAGE_SIZE, offset });
    const isWhole = data.total === data.items.length;
    return {
      title: "Testers",
      trail: trailTo(game),
      game,
      body: fragment(
        el(
          "p",
          { class: "note" },
          "A tester is a device; a session without a device counts as its own tester. ",
          el("a", { href: linkTo(["games", game, "never-played"]) }, "Who was invited but never played"),
        ),
        filterForm(input, [
          {
            ...{ name: "build", label: "Build", placeholder: "all" },
            suggestions: data.items.flatMap(({ builds }) => builds),
          },
          { name: "env", label: "Environment", placeholder: "all" },
          timeField("after", "Last seen after"),
          timeField("before", "Last seen before"),
        ]),
        dataTable(data.items, testerColumns, {
          caption: "Testers, last seen first",
          link: ({ tester }) => testerLink(game, tester),
          stacks: true,
          empty: el("p", {}, "No testers yet, or none match the filters."),
          ...(isWhole ? { sortable: input } : {}),
        }),
        pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
      ),
      command: [
        ...["testers", "list", "--game", game],
        ...toFlags({ "--build": build, "--env": env }),
        ...toTimeFlags({ "--last-seen-after": after, "--last-seen-before": before }),
        ...toPageFlags(offset),
      ],
      data,
    };
  },
});

export const neverPlayedPage = definePage({
  path: "/games/{game}/never-played",
  query: { batch: textParam, ...sortParams, ...pagedParams },
  async show({ params: { game }, query, ...input }, { call }) {
    const { batch, offset = 0 } = query;
    const data = await call(listNeverPlayed, { game, batch, limit: PAGE_SIZE, offset });
    const isWhole = data.total === data.items.length;
    return {
      title: "Never played",
      trail: trailTo(game, ["testers", "Testers"]),
      game,
      body: fragment(
        el(
          "p",
          { class: "note" },
          "Invites and playtest keys that no session belongs to. Without a linked device, the service cannot recognize the tester: " +
            "the column Played is then “unknown”. Play without telemetry is never counted.",
        ),
        filterForm(input, [{ name: "batch", label: "Playtest batch (id)", placeholder: "all" }]),
        dataTable(data.items, neverPlayedColumns, {
          caption: "Invites and keys without a session",
          stacks: true,
          empty: el("p", {}, "No invite or key without a session."),
          ...(isWhole ? { sortable: input } : {}),
        }),
        pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
      ),
      command: [
        ...["testers", "list", "--never-played", "--game", game],
        ...toFlags({ "--batch": batch }),
        ...toPageFlags(offset),
      ],
      data,
    };
  },
});

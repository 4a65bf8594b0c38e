/** The games of the account. */
import { games, listGames } from "../../contract/games.ts";
import { el } from "../../render/svg/element.ts";
import { toColumns } from "../../render/tables/resource-columns.ts";
import { linkTo } from "../links.ts";
import { choiceParam, definePage, textParam } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";

const columns = chooseColumns(toColumns(games), ["name", "slug", "createdAt"]);

export const gamesPage = definePage({
  path: "/",
  query: { sort: textParam, order: choiceParam(["asc", "desc"]) },
  async show(input, { call }) {
    const data = await call(listGames, {});
    return {
      title: "Games",
      trail: [],
      body: dataTable(data.games, columns, {
        caption: "Games",
        link: ({ slug }) => linkTo(["games", slug, "builds"]),
        empty: el(
          "p",
          {},
          "No games yet. A game appears with its first telemetry, or with ",
          el("code", {}, "playtest admin games create"),
          ".",
        ),
        sortable: input,
      }),
      command: ["games", "list"],
      data,
    };
  },
});

/** The experiments of a game. */
import { experiments, listGameExperiments } from "../../contract/experiments.ts";
import { el } from "../../render/svg/element.ts";
import { toColumns } from "../../render/tables/resource-columns.ts";
import { trailTo } from "../game-links.ts";
import { linkTo } from "../links.ts";
import { definePage } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { sortParams } from "./list.ts";

/** The name leads to the experiment. */
const columns = chooseColumns(toColumns(experiments), [
  "name",
  "status",
  "variants",
  "winnerVariantKey",
  "startedAt",
  "stoppedAt",
]);

export const experimentsPage = definePage({
  path: "/games/{game}/experiments",
  query: sortParams,
  async show({ params: { game }, ...input }, { call }) {
    const data = await call(listGameExperiments, { id: game });
    return {
      title: "Experiments",
      trail: trailTo(game),
      game,
      body: dataTable(data.experiments, columns, {
        caption: "Experiments, newest first",
        stacks: true,
        link: ({ id }) => linkTo(["games", game, "experiments", id]),
        empty: el(
          "p",
          {},
          "No experiments yet. Create one with ",
          el("code", {}, "playtest admin experiments create"),
          ".",
        ),
        sortable: input,
      }),
      command: ["experiments", "list", "--game", game],
      data,
    };
  },
});

/** The insights of a game, and the way from a tag to its trend. */
import { insights } from "../../contract/insights.ts";
import { el } from "../../render/svg/element.ts";
import { linkTo } from "../links.ts";
import { createListPage } from "./resource-pages.ts";

export const insightsPage = createListPage(insights, {
  before: ({ game, query: { tag, env } }) =>
    tag === undefined
      ? null
      : el(
          "p",
          {},
          el(
            "a",
            { href: linkTo(["games", game, "builds"], { tag, env }) },
            "How many testers of each build have this tag",
          ),
        ),
});

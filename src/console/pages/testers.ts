/** The testers of a game, and the people who were invited but never played. */
import { neverPlayed, testers } from "../../contract/tester-list.ts";
import { el } from "../../render/svg/element.ts";
import { linkTo } from "../links.ts";
import { createListPage } from "./resource-pages.ts";

export const testersPage = createListPage(testers, {
  note: ({ game }) =>
    el(
      "p",
      { class: "note" },
      "A tester is a device; a session without a device counts as its own tester. ",
      el("a", { href: linkTo(["games", game, "never-played"]) }, "Who was invited but never played"),
    ),
  command: ["testers", "list"],
});

export const neverPlayedPage = createListPage(neverPlayed, {
  note: () =>
    el(
      "p",
      { class: "note" },
      "Invites and playtest keys that no session belongs to. Without a linked device, the service cannot recognize the tester: " +
        "the column Played is then “unknown”. Play without telemetry is never counted.",
    ),
  command: ["testers", "list", "--never-played"],
});

/** What arrived lately: the newest sessions, and what was refused. */

import { listSessions, sessions } from "../../contract/sessions.ts";
import { countRefusals } from "../../contract/telemetry-tail.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { NOTHING_REFUSED, refusalColumns } from "../../render/tables/refusals.ts";
import { isoTime } from "../../render/time.ts";
import { formatIsoTime } from "../cells.ts";
import { commandCode, noteText } from "../details.ts";
import { section } from "../elements.ts";
import { gameLink, sessionLink } from "../links.ts";
import { definePage } from "../page.ts";
import { dataTable } from "../table.ts";
import { cellLinks, pageColumns } from "./resource-pages.ts";

/** The number of sessions. */
const SHOWN = 20;

export const livePage = definePage({
  path: "/games/{game}/live",
  query: {},
  async show({ params: { game } }, { call }) {
    const data = await call(listSessions, { game, limit: SHOWN });
    const refusals = await call(countRefusals, {});
    const tail = (...flags: readonly string[]) => commandCode("telemetry", "tail", "--game", game, ...flags);
    return {
      title: "Live",
      live: true,
      body: fragment(
        noteText(
          "While this page is visible, it asks for changes every 5 seconds. A session is listed with its first event, and its length grows with its heartbeats. ",
          "Single events are shown by ",
          tail(),
          ".",
        ),
        section(
          "sessions",
          "Newest sessions",
          dataTable(data.items, pageColumns(sessions), {
            caption: "Sessions, newest first",
            link: ({ id }) => sessionLink(game, id),
            links: cellLinks(sessions, game),
            stacks: true,
            empty: "No sessions yet. They appear with the first telemetry of the game.",
          }),
          data.total > SHOWN &&
            el("p", el("a", { href: gameLink(game, "sessions") }, `All ${data.total} sessions`)),
        ),
        section(
          "refusals",
          "Refused telemetry of all games",
          dataTable(refusals.reasons, refusalColumns, {
            caption: "Refused requests and events of the last 24 hours by reason",
            empty: `${NOTHING_REFUSED}.`,
          }),
          refusals.total > 0 &&
            noteText(
              `Since ${formatIsoTime(isoTime(refusals.since))} UTC. The last 10 minutes in detail: `,
              tail("--rejected", "--recent"),
              ".",
            ),
        ),
      ),
      command: ["sessions", "list", "--game", game, "--limit", String(SHOWN)],
      data,
    };
  },
});

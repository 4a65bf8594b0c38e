/** One session: its details, insights with their evidence, a timeline, its events, and what the tester said. */
import { listSessionEvents, MAX_EVENT_PAGE_SIZE } from "../../contract/session-events.ts";
import { getSession } from "../../contract/sessions.ts";
import { withLineBreaks } from "../../render/html/blocks.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { sessionDetails } from "../../render/tables/session-details.ts";
import { MAX_TEXT_LENGTH } from "../../render/text.ts";
import { CELLS } from "../cells.ts";
import { detailList } from "../details.ts";
import { section } from "../elements.ts";
import { buildLink, testerLink } from "../links.ts";
import type { PageInput } from "../page.ts";
import { definePage, NotThere, requireGame, textParam, wholeParam } from "../page.ts";
import { answerList } from "./answers.ts";
import { eventSection, insightSection, timelineSection } from "./session-sections.ts";

export const sessionPage = definePage({
  path: "/games/{game}/sessions/{id}",
  query: { event: textParam, around: textParam, cursor: textParam, offset: wholeParam(0) },
  async show({ params: { game, id }, query, ...input }, { call }) {
    const { event, around, cursor, offset = 0 } = query;
    const { id: gameId } = await requireGame(game, call);
    const data = await call(getSession, { id });
    const { session, insights } = data;
    if (session.gameId !== gameId)
      throw new NotThere(`session ${JSON.stringify(id)} of game ${JSON.stringify(game)}`);
    const events = await call(listSessionEvents, { id, event, around, cursor, limit: MAX_EVENT_PAGE_SIZE });
    const shown = {
      game,
      session,
      insights,
      events,
      page: input satisfies Pick<PageInput, "path" | "search">,
    };
    const tester = session.deviceId ?? session.testerHandle ?? session.id;
    return {
      title: session.title,
      trail: [["sessions", "Sessions"]],
      scope: { build: session.metadata.gameVersion, env: session.environment },
      body: fragment(
        detailList(sessionDetails(session, CELLS).slice(1), {
          Build: buildLink(game, session.metadata.gameVersion),
          Tester: testerLink(game, tester),
          Device: testerLink(game, session.deviceId),
        }),
        insightSection(shown),
        timelineSection(shown),
        answerList(game, session.feedback ?? []),
        session.transcript
          ? section(
              "transcript",
              "Transcript",
              el(
                "details",
                el("summary", "Show the transcript"),
                el("p", withLineBreaks(session.transcript, MAX_TEXT_LENGTH)),
              ),
            )
          : null,
        eventSection(shown, { event, around, offset }),
      ),
      command: ["sessions", "get", id],
      data,
    };
  },
});

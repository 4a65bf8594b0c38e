/** In which rooms the testers of a build quit. */
import { type BuildDropoff, getBuildDropoff } from "../../contract/dropoff.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { dropoffColumns } from "../../render/tables/dropoff.ts";
import {
  describeDropoff,
  describeNoRooms,
  describeQuietRooms,
  listDropoffNotes,
} from "../../render/tables/dropoff-text.ts";
import { toFlags } from "../command-line.ts";
import { emptyNote, noteText } from "../details.ts";
import { gameLink } from "../links.ts";
import { definePage, type PageInput, sortParams, textParam } from "../page.ts";
import { readPlayScope, resolveBuild, showNoBuild, THE_LATEST } from "../play-scope.ts";
import { renderSurvival } from "../survival.ts";
import { dataTable } from "../table.ts";

const CURVE_WIDTH = 760;

export const dropoffPage = definePage({
  path: "/games/{game}/dropoff",
  query: { build: textParam, env: textParam, ...sortParams },
  async show({ params: { game }, query, ...input }, { call }) {
    const scope = await readPlayScope(game, query.env, call);
    const { env, fallback } = scope;
    const page = { title: "Where testers quit", scope: { anyBuild: THE_LATEST, fallback } };
    const version = await resolveBuild(query.build, scope, call);
    if (version === null) return showNoBuild(scope, page);
    const data = await call(getBuildDropoff, { game, version, env });
    return {
      ...page,
      body: fragment(
        renderDropoff(data, { game, env }, input),
        renderSurvival(data, null, { game, env }, CURVE_WIDTH),
      ),
      command: ["builds", "dropoff", version, "--game", game, ...toFlags({ "--env": env })],
      data,
    };
  },
});

/** The answer in words, and the rooms in which testers quit. The others are only counted. */
function renderDropoff(
  data: BuildDropoff,
  { game, env }: { readonly game: string; readonly env: string | undefined },
  input: Pick<PageInput, "path" | "search">,
): Markup {
  const { rooms, version } = data;
  if (rooms.length === 0) return emptyNote(describeNoRooms(data, "Choose another environment."));
  const quit = rooms.filter((room) => room.quit > 0);
  const notes = [...describeQuietRooms(rooms.length - quit.length, quit.length), ...listDropoffNotes(data)];
  return fragment(
    el("p", el("strong", describeDropoff(data))),
    quit.length === 0
      ? null
      : dataTable(quit, dropoffColumns, {
          caption: `Rooms of ${version} in which testers quit`,
          link: ({ room }) => gameLink(game, "heatmap", { build: version, env, room, marks: "quits" }),
          bars: { quitShare: ({ quitShare }) => quitShare },
          sortable: input,
        }),
    notes.length === 0 ? null : noteText(notes.join(" ")),
  );
}

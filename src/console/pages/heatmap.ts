/** Where players of a game were, or how that changed between two builds. */
import { NO_POSITIONS } from "../../charts/heatmap-notes.ts";
import type { HeatmapView } from "../../charts/heatmap-view.ts";
import { orientHeatmap } from "../../charts/orient-heatmap.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { AUTO_PLANE, planes } from "../../contract/heatmap-planes.ts";
import { ALL_SOURCES, type HeatmapRoom, markSelections } from "../../contract/heatmaps.ts";
import { heatmapTables, heatmapText } from "../../render/html/heatmap.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { formatHeatmapTitle, heatmapRoomsSvg } from "../../render/svg/heatmap.ts";
import { cleanLine } from "../../render/text.ts";
import { isBuildWord } from "../../shared/build-words.ts";
import { showName } from "../cells.ts";
import { toFlags } from "../command-line.ts";
import { emptyNote } from "../details.ts";
import { buildChoices, type FilterField, filterForm } from "../filter-form.ts";
import { linkWith } from "../links.ts";
import { choiceParam, definePage, type PageContext, type PageInput, textParam, wholeParam } from "../page.ts";
import { type PlayScope, readPlayScope } from "../play-scope.ts";
import { choosePair } from "./build-pair.ts";
import { type HeatmapResult, type HeatmapSelection, readHeatmapPage } from "./heatmap-data.ts";

const OTHER_CHOICE =
  "Enter an event that has x and y, such as player_death, or choose another build, environment or room.";

/** The value of the parameter that draws paths, and the number of sessions, as on the command line. */
const NEWEST = "newest";
const DRAWN_PATHS = 20;

/** The y axis can be drawn as in the engine, or the other way round. */
const FLIPPED = "flipped";

export const heatmapPage = definePage({
  path: "/games/{game}/heatmap",
  query: {
    ...{ build: textParam, env: textParam, room: textParam, event: textParam, compare: textParam },
    marks: choiceParam(markSelections),
    y: choiceParam([FLIPPED]),
    paths: choiceParam([NEWEST]).transform((chosen) => (chosen === undefined ? undefined : DRAWN_PATHS)),
    plane: choiceParam(planes),
    floor: wholeParam(1),
    player: textParam,
  },
  async show({ params: { game }, query: { y, ...query }, ...input }, { call }) {
    const played = await readPlayScope(game, query.env, call);
    const { builds, fallback, env } = played;
    const { selection, note } = normalize({ ...query, ...(await readBuilds(query, played, call)), env });
    const inEnvironment = { ...selection, env: env ?? DEFAULT_ENV };
    const result = await readHeatmapPage(game, inEnvironment, call, builds.items);
    const view = orientHeatmap(result.view, { isFlipped: y === FLIPPED, origins: new Map() });
    const { build, room, event, marks, compare, plane, floor, paths, player } = selection;
    return {
      title: formatHeatmapTitle(view),
      scope: { fallback },
      body: fragment(
        filterForm(input, [
          {
            name: "compare",
            label: "Change since",
            choices: buildChoices(builds.items),
            any: "no comparison",
          },
          {
            name: "room",
            label: "Room",
            choices: view.rooms.map(({ room: value }) => ({ value })),
            any: "all",
          },
          { name: "event", label: "Event", placeholder: "player_pos" },
          { name: "player", label: "Player of a device", placeholder: "all" },
          ...planeFields(result, selection),
          marksField,
          {
            name: "paths",
            label: "Paths",
            choices: [{ value: NEWEST, text: "newest sessions" }],
            any: "none",
          },
          {
            name: "y",
            label: "Y axis",
            choices: [{ value: FLIPPED, text: "flipped" }],
            any: "as in the engine",
          },
        ]),
        note === null ? null : el("p", { class: "missing" }, note),
        room === undefined
          ? null
          : el("p", el("a", { href: linkWith(input, { room: undefined }) }, "Show all rooms")),
        view.rooms.length === 0
          ? emptyNote([NO_POSITIONS, ...view.notes, OTHER_CHOICE].join(" "))
          : renderRooms(view, input),
      ),
      command: [
        ...["heatmap", "--game", game],
        ...toFlags({ "--build": build, "--diff": compare, "--env": env, "--room": room, "--event": event }),
        ...toFlags({
          "--player": player,
          "--marks": marks,
          "--source": ALL_SOURCES,
          "--bounds": "robust",
          "--plane": plane ?? AUTO_PLANE,
        }),
        ...toFlags({ "--floor": floor === undefined ? undefined : String(floor) }),
        ...(paths === undefined ? [] : ["--paths"]),
        ...(y === FLIPPED ? ["--flip-y"] : []),
      ],
      data: result.data,
    };
  },
});

/** The builds with versions instead of `latest` and `previous`. */
async function readBuilds(
  { build, compare }: Pick<HeatmapSelection, "build" | "compare">,
  scope: PlayScope,
  call: PageContext["call"],
): Promise<Pick<HeatmapSelection, "build" | "compare">> {
  if (!isBuildWord(build) && !isBuildWord(compare)) return { build, compare };
  const pair = await choosePair({ a: compare, b: build }, scope, call);
  return {
    build: build && (pair.b ?? undefined),
    compare: compare && (pair.a ?? undefined),
  };
}

/** The fields of games with three coordinates. */
function planeFields({ data }: HeatmapResult, { plane, floor }: HeatmapSelection): FilterField[] {
  const { rooms = [] } = data as { readonly rooms?: readonly Partial<HeatmapRoom>[] };
  const floors = Math.max(floor ?? 0, ...rooms.map((room) => room.floors ?? 0));
  const isFlat = plane === undefined && floors === 0 && rooms.every((room) => room.plane === undefined);
  if (isFlat) return [];
  return [
    {
      name: "plane",
      label: "Plane",
      choices: planes.map((value) => ({ value })),
      any: "of each room",
    },
    {
      name: "floor",
      label: "Floor",
      choices: Array.from({ length: floors }, (_, at) => ({ value: String(at + 1) })),
      any: "all",
    },
  ];
}

const marksField: FilterField = {
  name: "marks",
  label: "Marks",
  choices: [
    { value: "deaths", text: "deaths" },
    { value: "quits", text: "where sessions ended" },
    { value: "deaths,quits", text: "both" },
  ] satisfies readonly { readonly value: (typeof markSelections)[number]; readonly text: string }[],
  any: "none",
};

/** Leaves out what cannot be shown together, and says why. */
function normalize({ compare, ...query }: HeatmapSelection): {
  readonly selection: HeatmapSelection;
  readonly note: string | null;
} {
  if (compare === undefined) return { selection: { ...query, compare }, note: null };
  if (query.build === undefined || query.build === compare) {
    const what = query.build === undefined ? "a build" : "another build";
    return {
      selection: { ...query, compare: undefined },
      note: `To see the change since ${compare}, choose ${what} as well.`,
    };
  }
  if (query.marks === undefined && query.paths === undefined)
    return { selection: { ...query, compare }, note: null };
  return {
    selection: { ...query, compare, marks: undefined, paths: undefined },
    note: "Marks and paths belong to one build, so a comparison does not show them.",
  };
}

/** The rooms side by side, as many as fit. Each leads to itself alone. */
function renderRooms(view: HeatmapView, input: Pick<PageInput, "path" | "search">): Markup {
  const { legend, rooms } = heatmapRoomsSvg(view);
  const isOne = rooms.length === 1;
  return fragment(
    heatmapText(view),
    legend && el("figure", legend),
    el(
      "div",
      { class: isOne ? "rooms one" : "rooms" },
      rooms.map(({ room: { room }, svg }) =>
        el(
          "figure",
          svg,
          isOne || room === ""
            ? null
            : el(
                "figcaption",
                el("a", { href: linkWith(input, { room }) }, `Only ${showName(cleanLine(room))}`),
              ),
        ),
      ),
    ),
    el("details", el("summary", "The cells as tables"), heatmapTables(view)),
  );
}

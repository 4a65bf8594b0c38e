/** How many testers reach each of several steps in order; by default the rooms of a build. */
import { describeOmitted, funnelChart } from "../../charts/funnel.ts";
import { type BuildDropoff, getBuildDropoff } from "../../contract/dropoff.ts";
import { type Funnel, type FunnelGroup, getFunnel, ROOM_STEP } from "../../contract/funnels.ts";
import { formatCount } from "../../render/numbers.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { describeNoRooms } from "../../render/tables/dropoff-text.ts";
import { funnelColumns, METHOD } from "../../render/tables/funnel.ts";
import { joinSteps, splitSteps } from "../../shared/funnel-steps.ts";
import { toFlags, toLastArguments } from "../command-line.ts";
import { emptyNote, noteText } from "../details.ts";
import { filterForm } from "../filter-form.ts";
import { funnelLink } from "../links.ts";
import { choiceParam, definePage, textParam } from "../page.ts";
import { readPlayScope, resolveBuild, showNoBuild, THE_LATEST } from "../play-scope.ts";
import { dataTable } from "../table.ts";

const stepsText = getFunnel.query.shape.steps;
/** The number of rooms that are steps by default. */
const DEFAULT_STEPS = 8;

export const funnelPage = definePage({
  path: "/games/{game}/funnel",
  query: { steps: stepsText.optional(), build: textParam, env: textParam, by: choiceParam(["build"]) },
  async show({ params: { game }, query, ...input }, { call }) {
    const scope = await readPlayScope(game, query.env, call);
    const { env, fallback } = scope;
    const page = { title: "Funnel", scope: { anyBuild: THE_LATEST, fallback } };
    const form = filterForm(input, stepFields, { resets: false });
    const version = await resolveBuild(query.build, scope, call);
    if (version === null) return showNoBuild(scope, page);
    const dropoff = query.steps === undefined ? await call(getBuildDropoff, { game, version, env }) : null;
    const steps = query.steps ?? (dropoff === null ? "" : listRoomSteps(dropoff));
    if (dropoff !== null && steps === "") {
      return {
        ...page,
        body: fragment(form, emptyNote(describeNoRooms(dropoff, "Choose another environment."))),
        command: ["builds", "dropoff", version, "--game", game, ...toFlags({ "--env": env })],
        data: dropoff,
      };
    }
    const { by } = query;
    const build = by === undefined ? version : undefined;
    const data = await call(getFunnel, { game, steps, build, env, by });
    return {
      ...page,
      body: fragment(form, renderFunnel(data)),
      command: [
        ...["funnel", "--game", game, ...toFlags({ "--build": build, "--by": by, "--env": env })],
        ...toLastArguments(splitSteps(steps)),
      ],
      data,
    };
  },
});

const stepFields = [
  { name: "steps", label: "Steps, separated by commas", placeholder: "room:dock,level_completed" },
  { name: "by", label: "Count", choices: [{ value: "build", text: "each build" }], any: "one build" },
];

/** The rooms of a build as steps, in the order in which testers come through them; empty if there are none. */
function listRoomSteps({ rooms }: BuildDropoff): string {
  const steps = rooms
    .toSorted((x, y) => y.entered - x.entered || y.completed - x.completed || (x.room < y.room ? -1 : 1))
    .map(({ room }) => `${ROOM_STEP}${room}`)
    .filter((step) => funnelLink("", step) !== null);
  const text = joinSteps(steps.slice(0, DEFAULT_STEPS));
  return stepsText.safeParse(text).success ? text : "";
}

function renderFunnel(data: Funnel): Markup {
  const notes = [METHOD, ...describeOmitted(data)];
  return fragment(
    el("p", el("strong", funnelChart(data).title)),
    data.groups.map(renderGroup),
    noteText(notes.join(" ")),
  );
}

function renderGroup({ key, testers, steps }: FunnelGroup): Markup {
  const title = key == null ? "All sessions" : `${key} (${formatCount(testers, "tester")})`;
  return fragment(
    key == null ? null : el("h2", title),
    dataTable(steps, funnelColumns, {
      caption: title,
      stacks: true,
      bars: { ofFirst: ({ ofFirst }) => ofFirst ?? null },
    }),
  );
}

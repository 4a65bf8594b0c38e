/** testers archetypes: the kinds of testers that a game has. */
import type { Archetype, TesterArchetypes } from "../../../contract/archetypes.ts";
import * as archetypes from "../../../contract/archetypes.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { cleanLine } from "../../../render/text.ts";
import { command, createTable } from "../../command.ts";
import { text } from "../../flags.ts";
import { textColumn } from "../columns.ts";

const columns: readonly TableColumn<Archetype>[] = [
  textColumn("label", "ARCHETYPE", ({ label }) => label, 1),
  textColumn("testerCount", "TESTERS", ({ testerCount }) => testerCount),
  textColumn("avgSessionCount", "SESSIONS EACH", ({ avgSessionCount }) => avgSessionCount),
  textColumn("avgActivePlayMinutes", "MINUTES EACH", ({ avgActivePlayMinutes }) => avgActivePlayMinutes),
  textColumn("commonFrictionTags", "FRICTION", ({ commonFrictionTags }) => commonFrictionTags.join(" "), 2),
  textColumn("id", "ID", ({ id }) => id, 3),
];

/** Why there are none, and what helps, by the reasons of the API. */
const reasons: Readonly<Record<string, (found: TesterArchetypes) => string>> = {
  requires_byo_key: () =>
    "No archetypes: the account has no model of its own. Set one up at the service (`playtest admin providers set` for the local one).",
  insufficient_data: ({ testerCount }) =>
    `No archetypes: ${testerCount} of the ${archetypes.MIN_ARCHETYPE_TESTERS} testers with summaries that it takes.`,
  api_error: () => "No archetypes: the account's model failed. Try again later.",
};

export const archetypesCommand = command({
  path: "testers archetypes",
  summary: "Group a game's testers by the similarity of their summaries",
  args: [],
  flags: { env: text("--env <slug>", "environment of the summaries (default: production)") },
  examples: ["testers archetypes --game ember", "testers archetypes --game ember --format md"],
  async run(context, { flags: { env } }) {
    const client = await context.client(archetypes);
    const data = await client.getTesterArchetypes({ game: await context.requireGame(), env });
    return {
      data,
      table: createTable(data.archetypes, columns, describeEmpty(data)),
      view: (options) => data.archetypes.map((one) => renderArchetype(one, options)).join("\n"),
    };
  },
});

function describeEmpty(data: TesterArchetypes): string {
  const told = data.reason === undefined ? undefined : reasons[data.reason]?.(data);
  return told ?? `No archetypes${data.reason === undefined ? "" : `: ${data.reason}`}.`;
}

function renderArchetype(one: Archetype, options: RenderOptions): string {
  const paint = painter(options);
  const testers = `${one.testerCount} ${one.testerCount === 1 ? "tester" : "testers"}`;
  const play = `${one.avgSessionCount.toFixed(1)} sessions and ${one.avgActivePlayMinutes.toFixed(1)} active minutes each`;
  const lines = [
    paint(cleanLine(`${one.label} (${testers})`), "strong"),
    ...renderParagraph(`${play}.`, "  ", options),
    ...(one.commonFrictionTags.length > 0
      ? renderParagraph(`Friction of at least half: ${one.commonFrictionTags.join(", ")}`, "  ", options)
      : []),
    ...one.representativeTesters.flatMap(({ handle, summary }) =>
      renderParagraph(`${handle}: ${summary}`, "    ", options).map((line) => paint(line, "muted")),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

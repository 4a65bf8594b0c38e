/** testers archetypes: groups of testers with similar summaries. */
import type { Archetype, TesterArchetypes } from "../../../contract/archetypes.ts";
import * as archetypes from "../../../contract/archetypes.ts";
import { DEFAULT_ENV, describeWhere } from "../../../contract/fields.ts";
import { type AlignedCell, alignCells } from "../../../render/aligned.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { formatTitleAndTag } from "../../../shared/tags.ts";
import { command, createTable } from "../../command.ts";
import { text } from "../../flags.ts";

const columns = defineColumns<Archetype>({
  label: { header: "ARCHETYPE", shrink: 1 },
  testerCount: { header: "TESTERS" },
  avgSessionCount: { header: "AVG SESSIONS" },
  avgActivePlayMinutes: { header: "AVG ACTIVE MINUTES" },
  commonFrictionTags: {
    header: "FRICTION TAGS",
    value: ({ commonFrictionTags }) => commonFrictionTags.join(" "),
    shrink: 2,
  },
  id: { header: "ID", shrink: 3 },
});

/** Messages for an empty list, by the `reason` of the API. */
const reasonMessages: Readonly<Record<string, (data: TesterArchetypes) => string>> = {
  requires_byo_key: () =>
    "No archetypes: the account has no AI model. Configure one on the service (for a local service, run `playtest admin providers set --url <url> --model <id>`).",
  insufficient_data: ({ testerCount }) =>
    `No archetypes: ${testerCount} ${testerCount === 1 ? "tester has" : "testers have"} a summary; at least ${archetypes.MIN_ARCHETYPE_TESTERS} are required.`,
  api_error: () => "No archetypes: the request to the account's AI model failed. Try again later.",
};

export const archetypesCommand = command({
  path: "testers archetypes",
  summary: "Group a game's testers by the similarity of their summaries",
  details:
    "The account's AI model names the groups. Otherwise, a group is named after its most common friction, if at least half of " +
    "its testers have it, and after a second one if several groups would have the same name. --wide shows examples.",
  flags: { env: text("--env <slug>", "environment of the summaries (default: production)") },
  examples: ["testers archetypes --game ember", "testers archetypes --game ember --format md"],
  async run(context, { flags: { env } }) {
    const client = await context.client(archetypes);
    const game = await context.requireGame();
    const data = await client.getTesterArchetypes({ game, env });
    const where = describeWhere(game, env ?? DEFAULT_ENV);
    return {
      data,
      table: createTable(data.archetypes, columns, describeEmpty(data)),
      view: (options) => renderArchetypes(data, where, options),
    };
  },
});

function describeEmpty(data: TesterArchetypes): string {
  const { reason } = data;
  if (reason === undefined) return "No archetypes.";
  return reasonMessages[reason]?.(data) ?? `No archetypes: ${reason}.`;
}

/** Groups that are shown without `--wide`. */
const MAX_GROUPS = 10;

function renderArchetypes(data: TesterArchetypes, where: string, options: RenderOptions): string {
  const { archetypes: all } = data;
  if (all.length === 0) return "";
  const paint = painter(options);
  const head = `${all.length === 1 ? "1 group" : `${all.length} groups`} of ${data.testerCount} testers with similar summaries · ${where}`;
  if (options.wide) {
    const groups = all.map((archetype) => renderArchetype(archetype, all, options));
    return `${paint(head, "strong")}\n\n${groups.join("\n")}`;
  }
  const shown = all.slice(0, MAX_GROUPS).map((archetype): AlignedCell[] => [
    { text: `${archetype.testerCount}`, align: "right" },
    { text: archetype.label, style: "strong" },
    { text: `${archetype.avgActivePlayMinutes.toFixed(0)}m active`, align: "right", isOptional: true },
  ]);
  const more = all.length > shown.length ? `${all.length - shown.length} more groups; ` : "";
  const lines = [
    paint(head, "strong"),
    "",
    ...alignCells(shown, "  ", options),
    ...renderParagraph(`${more}examples of each: --wide`, "  ", options, "muted"),
  ];
  return `${lines.join("\n")}\n`;
}

/** The service numbers equal labels, as in `Gets stuck` and `Gets stuck (2)`. */
const parseLabel = (label: string) => {
  const [, name = label, number = "1"] = /^(.*) \((\d+)\)$/.exec(label) ?? [];
  return { name, number };
};

/** `Gets stuck (8 testers)`, or `Gets stuck (8 testers; number 1 of 2 groups with this name)` if others have the same name. */
function formatHeading({ label, testerCount }: Archetype, all: readonly Archetype[]): string {
  const { name, number } = parseLabel(label);
  const total = all.filter((other) => parseLabel(other.label).name === name).length;
  const group = total > 1 ? `; number ${number} of ${total} groups with this name` : "";
  return `${name} (${testerCount} ${testerCount === 1 ? "tester" : "testers"}${group})`;
}

function renderArchetype(archetype: Archetype, all: readonly Archetype[], options: RenderOptions): string {
  const { avgSessionCount, avgActivePlayMinutes, commonFrictionTags, commonFrictionTitles } = archetype;
  const friction = commonFrictionTags.map((tag, at) =>
    formatTitleAndTag({ tag, title: commonFrictionTitles?.[at] }),
  );
  const averages = `${avgSessionCount.toFixed(1)} sessions and ${avgActivePlayMinutes.toFixed(1)} active minutes`;
  const lines = [
    ...renderParagraph(formatHeading(archetype, all), "", options, "strong"),
    ...renderParagraph(`Average per tester: ${averages}.`, "  ", options),
    ...(friction.length > 0 ? renderParagraph(`Common friction: ${friction.join(", ")}`, "  ", options) : []),
    ...(archetype.representativeTesters.length > 0 ? ["  Examples:"] : []),
    ...archetype.representativeTesters.flatMap(({ handle, summary }) =>
      renderParagraph(`${handle}: ${summary}`, "    ", options, "muted"),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

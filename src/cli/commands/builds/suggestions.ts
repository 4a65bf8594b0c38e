/** builds suggestions: what to change first, in one build or in what got no better between two. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import type { Output } from "../../../contract/define.ts";
import * as sessions from "../../../contract/sessions.ts";
import type { Suggestion } from "../../../contract/suggestions.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { formatShare } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { cleanLine } from "../../../render/text.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { textColumn } from "../columns.ts";
import type { BuildScope } from "./find-build.ts";
import { explainMissingBuild, resolveBaseline, resolveBuild } from "./resolve.ts";

const columns: readonly TableColumn<Suggestion>[] = [
  textColumn("title", "SUGGESTION", ({ title }) => title, 1),
  textColumn("rationale", "RATIONALE", ({ rationale }) => rationale, 2),
  textColumn("confidence", "CONFIDENCE", ({ confidence }) => confidence),
  textColumn("evidence", "EVIDENCE", ({ evidence }) => evidence.join(" "), 3),
];

export const suggestionsCommand = command({
  path: "builds suggestions",
  summary: "Suggest what to change first in a build",
  details:
    "With one build, suggestions are based on what was found in its sessions. With two builds, they are " +
    "based on what did not improve from a to b. Each suggestion lists the insights that support it. The " +
    "account must have its own model; without one, the exit code is 42.",
  args: [
    { name: "<build>", describe: "build version, `latest` or `previous`; with two builds, the baseline" },
    { name: "[b]", describe: "build version to compare with the baseline, `latest` or `previous`" },
  ],
  flags: { env: text("--env <slug>", "environment (default: production)") },
  examples: [
    "builds suggestions 0.9.0 --game ember",
    "builds suggestions previous latest --game ember --json",
  ],
  async run(context, { args: [first = "", second], flags: { env } }) {
    const client = await context.client({ ...builds, ...sessions, ...suggestions });
    const game = await context.requireGame();
    if (env === "all") {
      throw fail("usage", {
        message: "--env all: suggestions are about one environment",
        hint: "Name one, such as --env production.",
      });
    }
    const asked = second === undefined ? { build: first } : { a: first, b: second };
    checkInput(suggestions.getBuildSuggestions, { game, env, ...asked });
    const scope = { game, env, now: context.io.now() };
    const chosen =
      second === undefined
        ? { build: await resolveBuild(client, scope, first) }
        : await resolvePair(client, scope, first, second);
    const data = await client.getBuildSuggestions({ game, env, ...chosen }).catch(async (error: unknown) => {
      throw await explainMissingBuild(error, client, game, Object.values(chosen));
    });
    return {
      data,
      table: createTable(data.suggestions, columns, "Nothing was found that calls for a change."),
      view: (options) => renderSuggestions(data, options),
    };
  },
});

async function resolvePair(
  client: Parameters<typeof resolveBuild>[0],
  scope: BuildScope,
  a: string,
  b: string,
) {
  const resolved = await resolveBuild(client, scope, b);
  return { a: await resolveBaseline(client, scope, a, resolved), b: resolved };
}

type BuildSuggestions = Output<typeof suggestions.getBuildSuggestions>;

function renderSuggestions(data: BuildSuggestions, options: RenderOptions): string {
  if (data.suggestions.length === 0) return "";
  const paint = painter(options);
  const about = data.a !== undefined && data.b !== undefined ? `: ${data.a} to ${data.b}` : "";
  const head = paint(cleanLine(`${data.game.name}${about}, ${data.environment}`), "strong");
  const made = data.source === "fallback" ? "Made by rules, not by a model." : "Made by the model.";
  const parts = data.suggestions.map((one, at) => {
    const lines = [
      ...renderParagraph(`${at + 1}. ${one.title} (${formatShare(one.confidence)} sure)`, "", options),
      ...renderParagraph(one.rationale, "   ", options),
      ...renderParagraph(`Evidence: ${one.evidence.join(", ")}`, "   ", options).map((line) =>
        paint(line, "muted"),
      ),
    ];
    return `\n${lines.join("\n")}\n`;
  });
  return `${head}\n${paint(made, "muted")}\n${parts.join("")}`;
}

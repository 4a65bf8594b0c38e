/** builds suggestions: what to change first in a build, or in the friction that did not improve between two builds. */
import { describeAuthor } from "../../../charts/suggestion-author.ts";
import { checkInput } from "../../../client/client.ts";
import * as buildList from "../../../contract/build-list.ts";
import * as builds from "../../../contract/builds.ts";
import type { Output } from "../../../contract/define.ts";
import * as sessions from "../../../contract/sessions.ts";
import type { Suggestion } from "../../../contract/suggestions.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { textColumn } from "../../../render/tables/columns.ts";
import { cleanLine } from "../../../render/text.ts";
import { command, createTable } from "../../command.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { explainMissingBuild, resolveBuild, resolvePair } from "./resolve.ts";

const columns: readonly TableColumn<Suggestion>[] = [
  textColumn("title", "SUGGESTION", ({ title }) => title, 1),
  textColumn("rationale", "RATIONALE", ({ rationale }) => rationale, 2),
  {
    key: "confidence",
    header: "CONFIDENCE",
    value: ({ confidence }) => confidence,
    wide: true,
  },
  textColumn("evidence", "EVIDENCE", ({ evidence }) => evidence.join(" "), 3),
];

export const suggestionsCommand = command({
  path: "builds suggestions",
  summary: "Suggest what to change first in a build",
  details:
    "With one build, suggestions are based on what was found in its sessions. With two builds, they are " +
    "based on what did not improve between them, and what the gate would fail comes first. Only friction of at least 2 " +
    "testers counts, among at least 5 who could meet it. The counts are those of `playtest builds compare`. Each suggestion " +
    "lists the insights that support it. Suggestions are written by the account's AI model if it has one, and otherwise by " +
    "rules. The field `confidence` of JSON and CSV grows with the " +
    "evidence, from 0 to 1. It is not a probability.",
  args: [
    {
      name: "<build>",
      describe: "build version, `latest` or `previous`; if you name two builds, the baseline",
    },
    { name: "[newer-build]", describe: "build version to compare with the baseline, `latest` or `previous`" },
  ],
  flags: { env: text("--env <slug>", "environment (default: production)") },
  examples: [
    "builds suggestions 0.9.0 --game ember",
    "builds suggestions previous latest --game ember --json",
  ],
  async run(context, { args: [first = "", second], flags: { env } }) {
    const client = await context.client({ ...builds, ...buildList, ...sessions, ...suggestions });
    const game = await context.requireGame();
    if (env === "all") {
      throw fail("usage", {
        message: "--env all is not supported: suggestions are for one environment",
        hint: "Specify one environment, such as --env production.",
      });
    }
    const input = second === undefined ? { build: first } : { a: first, b: second };
    checkInput(suggestions.getBuildSuggestions, { game, env, ...input });
    const request = async (chosen: string | undefined) => {
      const scope = { game, env: chosen, now: context.io.now() };
      const resolved =
        second === undefined
          ? { build: await resolveBuild(client, scope, first) }
          : await resolvePair(client, scope, { a: first, b: second });
      return await client
        .getBuildSuggestions({ game, env: chosen, ...resolved, fallback: suggestions.RULES_FALLBACK })
        .catch(async (error: unknown) => {
          throw await explainMissingBuild(error, client, game, Object.values(resolved));
        });
    };
    const data = await inEnvironment(context, env, request, (answer) => answer.suggestions.length === 0);
    return {
      data,
      table: createTable(
        data.suggestions,
        columns,
        "No suggestions: no friction to improve was found for at least 2 testers, among at least 5 who could meet it.",
      ),
      view: (options) => renderSuggestions(data, options),
    };
  },
});

type BuildSuggestions = Output<typeof suggestions.getBuildSuggestions>;

function renderSuggestions(data: BuildSuggestions, options: RenderOptions): string {
  if (data.suggestions.length === 0) return "";
  const paint = painter(options);
  const about = data.a !== undefined && data.b !== undefined ? `: ${data.a} to ${data.b}` : "";
  const head = paint(cleanLine(`${data.game.name}${about}, ${data.environment}`), "strong");
  const source = describeAuthor(data);
  const parts = data.suggestions.map(({ title, rationale, evidence }, index) => {
    const number = `${index + 1}. `;
    // What testers quit may have no insights.
    const found = evidence.length === 0 ? [] : [`Evidence: ${evidence.join(", ")}`];
    const [first = "", ...rest] = renderParagraph(title, " ".repeat(number.length), options);
    const lines = [
      `${number}${first.trimStart()}`,
      ...rest,
      ...renderParagraph(rationale, "   ", options),
      ...found.flatMap((text) => renderParagraph(text, "   ", options)).map((line) => paint(line, "muted")),
    ];
    return `\n${lines.join("\n")}\n`;
  });
  return `${head}\n${paint(source, "muted")}\n${parts.join("")}`;
}

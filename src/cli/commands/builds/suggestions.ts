/** builds suggestions: what to change first in a build, or in the friction that did not improve between two builds. */
import { describeAuthor } from "../../../charts/suggestion-author.ts";
import { checkInput } from "../../../client/client.ts";
import { readSuggestions } from "../../../client/suggestions.ts";
import type { BuildSuggestions, Suggestion } from "../../../contract/suggestions.ts";
import * as suggestions from "../../../contract/suggestions.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { describeSessions } from "../../../render/status/text.ts";
import { painter } from "../../../render/style.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { cleanLine } from "../../../render/text.ts";
import { command, createTable } from "../../command.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { text, toggle } from "../../flags.ts";
import { buildEndpoints } from "./endpoints.ts";
import { createBuildScope, explainMissing, resolveBuild, resolvePair } from "./resolve.ts";

const columns = defineColumns<Suggestion>({
  title: { header: "SUGGESTION", shrink: 1 },
  rationale: { header: "RATIONALE", shrink: 2 },
  confidence: { header: "CONFIDENCE", wide: true },
  evidence: { header: "EVIDENCE", value: ({ evidence }) => evidence.join(" "), shrink: 3 },
});

export const suggestionsCommand = command({
  path: "builds suggestions",
  summary: "Suggest what to change first in a build",
  details:
    "With one build, suggestions are based on what was found in its sessions: what most testers met comes first, and what " +
    "testers said counts half, because it may be the effect of another problem. With two builds, they are based on what did " +
    "not improve between them: what got worse comes first. Only what at least 2 testers met counts, among at least 5 who " +
    "could meet it. Each suggestion names sessions to watch; JSON and CSV have the insights that support it. Suggestions are " +
    "written by the account's AI model if it has one, and otherwise by rules.",
  args: [
    {
      name: "[build]",
      describe:
        "build version, `latest` or `previous` (default: latest); if you name two builds, the baseline",
    },
    { name: "[newer-build]", describe: "build version to compare with the baseline, `latest` or `previous`" },
  ],
  flags: {
    env: text("--env <slug>", "environment (default: production)"),
    all: toggle("--all", "show all suggestions, not only the first four"),
    aiOnly: toggle("--ai-only", "exit with 42 instead of showing suggestions written by rules"),
  },
  examples: [
    "builds suggestions 0.9.0 --game ember",
    "builds suggestions previous latest --game ember --json",
  ],
  async run(context, { args: [first = "latest", second], flags: { env, all, aiOnly } }) {
    const client = await context.client({ ...buildEndpoints, ...suggestions });
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
      const scope = createBuildScope(context, game, chosen);
      const resolved =
        second === undefined
          ? { build: await resolveBuild(client, scope, first) }
          : await resolvePair(client, scope, { a: first, b: second });
      const selected = { game, env: chosen, ...resolved };
      const answer = await (aiOnly
        ? client.getBuildSuggestions(selected)
        : readSuggestions(client, selected)
      ).catch(explainMissing(client, game, Object.values(resolved)));
      return { answer, build: "build" in resolved ? resolved.build : resolved.b };
    };
    const isEmpty = ({ answer }: Awaited<ReturnType<typeof request>>) => answer.suggestions.length === 0;
    const { answer: data, build } = await inEnvironment(context, env, request, isEmpty);
    if (aiOnly && data.source === "fallback" && data.suggestions.length > 0)
      throw fail("payment_required", {
        message: cleanLine(`No suggestions by an AI model. ${describeAuthor(data)}`),
        hint: "Omit --ai-only to show the suggestions written by rules.",
      });
    return {
      data,
      table: createTable(data.suggestions, columns, suggestions.NO_SUGGESTIONS),
      view: (options) => renderSuggestions(data, build, all, options),
    };
  },
});

/** Without `all`, the answer has at most this many suggestions. */
const MAX_SHOWN = 4;

function renderSuggestions(
  data: BuildSuggestions,
  build: string,
  all: boolean,
  options: RenderOptions,
): string {
  if (data.suggestions.length === 0) return "";
  const paint = painter(options);
  const about = data.a !== undefined && data.b !== undefined ? `${data.b} vs ${data.a}` : build;
  const head = `${data.game.slug} ${about} · ${data.environment} · what to fix first`;
  const shown = all ? data.suggestions : data.suggestions.slice(0, MAX_SHOWN);
  const rest = data.suggestions.length - shown.length;
  const lines = shown.flatMap(({ title, rationale, sessions }, index) => {
    const number = `${index + 1}. `;
    const [first = "", ...rest] = renderParagraph(title, " ".repeat(number.length), options);
    const watch = describeSessions(sessions ?? []);
    return [
      paint(`${number}${first.trimStart()}`, "strong"),
      ...rest.map((line) => paint(line, "strong")),
      ...renderParagraph(watch === "" ? rationale : `${rationale} Watch ${watch}.`, "   ", options),
    ];
  });
  const author = cleanLine(`${describeAuthor(data)}${rest > 0 ? ` ${rest} more (--all).` : ""}`);
  const last = renderParagraph(author, "", options, "muted");
  return `${[paint(cleanLine(head), "strong"), "", ...lines, "", ...last].join("\n")}\n`;
}

/** Prompts: step-by-step instructions for common questions of game studios. */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/sdk/types.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { quoted } from "./plain-text.ts";
import { UNTRUSTED_NOTICE } from "./tool-result.ts";

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

interface PromptDefinition {
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Returns the instructions, one paragraph each. A missing optional argument is undefined. */
  steps(args: Readonly<Record<string, string | undefined>>): readonly string[];
}

const game: PromptArgument = { name: "game", description: "Game id or slug", required: true };
const build = (name: string, description: string, required: boolean): PromptArgument => ({
  name,
  description,
  required,
});

const definitions: Readonly<Record<string, PromptDefinition>> = {
  weekly_digest: {
    title: "Weekly digest",
    description: "Summarize the last seven days of playtests",
    arguments: [game],
    steps: ({ game }) => [
      `Write a digest of the last seven days of playtests of ${game}. Calculate the start time first.`,
      `Call list_sessions and list_insights with game=${game} and from set to the start time. Read every page.`,
      "Call get_event_counts for the same time range, and get_build_summary for each build in these sessions.",
      "Write one page about: the number of sessions and players; where players got stuck, and how many; what they " +
        "praised; bugs; changes since earlier builds; and three recommended next steps, each with its evidence.",
    ],
  },
  build_comparison: {
    title: "Build comparison",
    description: "Explain what got better and worse between two builds",
    arguments: [game, build("a", "Baseline build", true), build("b", "Build to compare with it", true)],
    steps: ({ game, a, b }) => [
      `Compare build ${b} of ${game} with build ${a}.`,
      `Call compare_builds with game=${game}, a=${a}, b=${b}. Call get_build_summary for both builds. If changed tags ` +
        "name rooms, also call get_heatmap for both builds.",
      "Call get_build_suggestions with the same a and b. If it fails with status 402 (no AI key), continue without it.",
      "Report which friction was resolved, was introduced, got larger or got smaller, each as the number of affected " +
        "testers out of all testers of the build. State clearly if a build has so few testers that a change may be " +
        "due to chance.",
    ],
  },
  friction_analysis: {
    title: "Friction analysis",
    description: "Explain where players get stuck in a build, and what to change first",
    arguments: [game, build("build", "Build version (default: the newest build)", false)],
    steps: ({ game, build }) => [
      `Find where players of ${game} get stuck${build ? ` in build ${build}` : " in the newest build"}.`,
      `Call list_insights with game=${game}${build ? `, build=${build}` : ""} and sentiment="negative". Group the ` +
        "insights by tag.",
      "For the three tags that affect the most players, call get_session to read the evidence, and get_heatmap to see " +
        "the rooms.",
      "For each of these tags, report: what happens, how many players it affects, the evidence with insight ids, the " +
        "likely cause, and the smallest change to try.",
    ],
  },
  tester_spotlight: {
    title: "Tester spotlight",
    description: "Describe one tester's progress through the playtests",
    arguments: [game, { name: "tester", description: "Tester handle or device id", required: true }],
    steps: ({ game, tester }) => [
      `Describe the progress of tester ${tester} of ${game}.`,
      `Call get_tester_journey with game=${game} and deviceId=${tester}. Call get_session for remarkable sessions.`,
      "Report how their play changed over time, which problems they had and overcame, what they liked, whether they " +
        "are still engaged, and what to ask them. Do not speculate about the person.",
    ],
  },
};

export const prompts: Prompt[] = Object.entries(definitions).map(
  ([name, { title, description, arguments: promptArguments }]) => ({
    name,
    title,
    description,
    arguments: promptArguments.map((argument) => ({ ...argument })),
  }),
);

/** Fills in the arguments of a prompt. Throws InvalidParams for an unknown prompt or a missing argument. */
export function getPrompt(name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!definition) throw new McpError(ErrorCode.InvalidParams, `Unknown prompt ${JSON.stringify(name)}`);
  const missing = definition.arguments.find((argument) => argument.required && !args[argument.name]);
  if (missing)
    throw new McpError(
      ErrorCode.InvalidParams,
      `Prompt ${JSON.stringify(name)} requires the argument ${JSON.stringify(missing.name)}`,
    );
  const values = definition.arguments.map(({ name }) => [name, args[name] ? quoted(args[name]) : undefined]);
  const steps = definition.steps(Object.fromEntries(values));
  const text = [...steps, `Take every number from tool results. ${UNTRUSTED_NOTICE}`].join("\n\n");
  return {
    description: definition.description,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

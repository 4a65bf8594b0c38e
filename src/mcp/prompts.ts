/** Prompts: the questions studios ask every week, as work for an assistant with these tools. */
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
  /** The work, step by step; a value is undefined where an optional argument was not given. */
  steps(given: Readonly<Record<string, string | undefined>>): readonly string[];
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
    description: "What a week of playtests told: play, friction, praise, and what to do next",
    arguments: [game],
    steps: ({ game }) => [
      `Write a digest of the last seven days of playtests of ${game}. Work out the time range first.`,
      `Call list_sessions and list_insights with game=${game} and from= that time; go through every page.`,
      `Call get_event_counts for the same range, and get_build_summary for each build that was played.`,
      "Tell, in a page: how much was played and by how many; what players got stuck on, by how many of them; what they " +
        "praised; bugs; what changed against earlier builds; three things to do next, each with its evidence.",
    ],
  },
  build_comparison: {
    title: "Build comparison",
    description: "What got better and worse between two builds, and what is noise",
    arguments: [game, build("a", "Baseline build", true), build("b", "Build compared with it", true)],
    steps: ({ game, a, b }) => [
      `Compare build ${b} of ${game} with build ${a}.`,
      `Call compare_builds with game=${game}, a=${a}, b=${b}; get_build_summary for both; get_heatmap for both where ` +
        "rooms are named.",
      `Call get_build_suggestions with the same a and b; without an AI key it answers 402, then go on without it.`,
      "Tell what was resolved, introduced, got larger and smaller, by testers out of testers. Say plainly where a side " +
        "has so few testers that a change may be chance.",
    ],
  },
  friction_analysis: {
    title: "Friction analysis",
    description: "Where players get stuck in a build, why, and what to change first",
    arguments: [game, build("build", "Build version; the newest unless told", false)],
    steps: ({ game, build }) => [
      `Find where players of ${game} get stuck${build ? ` in build ${build}` : " in the newest build"}.`,
      `Call list_insights with game=${game}${build ? ` and build=${build}` : ""} and sentiment="negative"; group them by tag.`,
      "For the three tags that meet the most players, read the evidence in get_session, and look at the rooms in get_heatmap.",
      "Tell of each: what happens, to how many, the evidence by insight id, the likely cause, and the smallest change to try.",
    ],
  },
  tester_spotlight: {
    title: "Tester spotlight",
    description: "One tester's way through the playtests",
    arguments: [game, { name: "tester", description: "Tester handle or device id", required: true }],
    steps: ({ game, tester }) => [
      `Tell the story of tester ${tester} of ${game}.`,
      `Call get_tester_journey with game=${game} and deviceId=${tester}; for what stands out, get_session.`,
      "Tell how their play developed, what they met and overcame, what they liked, whether they are still engaged, and " +
        "what to ask them. Guess nothing about the person.",
    ],
  },
};

export const prompts: Prompt[] = Object.entries(definitions).map(
  ([name, { title, description, arguments: taken }]) => ({
    name,
    title,
    description,
    arguments: taken.map((one) => ({ ...one })),
  }),
);

/** The prompt with its arguments in place. Throws the protocol's error for one that is missing or unknown. */
export function getPrompt(name: string, given: Readonly<Record<string, string>>): GetPromptResult {
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!definition) throw new McpError(ErrorCode.InvalidParams, `No prompt ${name}`);
  const missing = definition.arguments.find((one) => one.required && !given[one.name]);
  if (missing) throw new McpError(ErrorCode.InvalidParams, `The prompt ${name} needs ${missing.name}`);
  const values = definition.arguments.map(({ name }) => [
    name,
    given[name] ? quoted(given[name]) : undefined,
  ]);
  const steps = definition.steps(Object.fromEntries(values));
  const text = [...steps, `Base every number on what the tools answer. ${UNTRUSTED_NOTICE}`].join("\n\n");
  return {
    description: definition.description,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

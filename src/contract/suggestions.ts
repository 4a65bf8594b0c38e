/** Suggestions: what to change first in a build, grounded in what was found in its sessions. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { openEnum, text } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";

export const suggestionModes = ["compare-diff", "single-build"] as const;
export type SuggestionMode = (typeof suggestionModes)[number];
export const suggestionSources = ["ai", "fallback"] as const;

export const suggestion = z.object({
  title: z.string(),
  rationale: z.string(),
  evidence: z.array(z.string()).describe("Insight ids"),
  confidence: z.number().describe("0 to 1"),
});
export type Suggestion = z.output<typeof suggestion>;

/** What the query asks: one build, or b against a. */
interface SuggestionQuery {
  readonly build?: unknown;
  readonly a?: unknown;
  readonly b?: unknown;
}

/** What is wrong with a field beside the others; null where nothing is. */
function findModeError(field: keyof SuggestionQuery, { build, a, b }: SuggestionQuery): string | null {
  const compares = a !== undefined || b !== undefined;
  if (build !== undefined && compares) {
    const given = field === "build" || (field === "a" ? a : b) !== undefined;
    return given ? "build and a with b exclude each other" : null;
  }
  if (field === "build") {
    return build === undefined && !compares ? "is required, unless a and b are given" : null;
  }
  return compares && (field === "a" ? a : b) === undefined ? "is required" : null;
}

/** Adds the rule that either build or both a and b are given; told only where each by itself is sound. */
function requireOneMode<T extends z.ZodObject>(schema: T): T {
  let made = schema;
  for (const field of ["build", "a", "b"] as const) {
    made = made.refine((value) => findModeError(field, value as SuggestionQuery) === null, {
      path: [field],
      error: ({ input }) => findModeError(field, input as SuggestionQuery) ?? "",
      when: ({ issues }) => issues.every(({ path, code }) => code === "custom" && path?.length === 1),
    });
  }
  return made;
}

const buildParam = text(1, 200);

export const getBuildSuggestions = defineRead({
  name: "getBuildSuggestions",
  tool: "get_build_suggestions",
  path: "/api/v1/builds/compare/suggestions",
  summary: "What to change first, for one build or for what got no better between two",
  tag: "builds",
  names: { game: "game", build: "build", a: "build", b: "build" },
  excludes: { build: ["a", "b"] },
  sample: { a: "{build}", b: "{build}" },
  query: requireOneMode(
    z.object({
      game: text(1, 200).describe("Game id or slug"),
      build: buildParam.optional().describe("One build; excludes a and b"),
      a: buildParam.optional().describe("Baseline build, with b"),
      b: buildParam.optional().describe("Build compared with it, with a"),
      env: envFilter
        .refine((env) => env !== "all", "must be one environment")
        .optional()
        .describe("One environment, default production"),
    }),
  ),
  response: z.object({
    ok: z.boolean(),
    mode: openEnum(suggestionModes),
    game,
    environment: z.string(),
    a: z.string().optional(),
    b: z.string().optional(),
    suggestions: z.array(suggestion),
    source: openEnum(suggestionSources).describe("fallback: by rules, where the model gave nothing sound"),
    emptyInput: z.boolean().describe("True where nothing was found that calls for a change"),
  }),
  errors: ["not_found", "payment_required"],
});

/** Suggestions: proposed fixes for a build, each supported by insights. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { extensionField, openEnum, text } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { sessionMoment } from "./verdict.ts";

export const suggestionModes = ["compare-diff", "single-build"] as const;
export type SuggestionMode = (typeof suggestionModes)[number];
export const suggestionSources = ["ai", "fallback"] as const;
/**
 * Why rules wrote the suggestions: the account has no AI model, the provider of its model failed or did not answer, the budget
 * of model calls is spent, or the answer of the model was not usable.
 */
export const fallbackReasons = ["no-model", "provider-error", "budget-spent", "unusable-answer"] as const;
export type FallbackReason = (typeof fallbackReasons)[number];
/** The value of `fallback` that lets rules write the suggestions of an account without an AI model. */
export const RULES_FALLBACK = "rules";

/** Shown if nothing is found. */
export const NO_SUGGESTIONS =
  "No suggestions: no friction to improve was found for at least 2 testers, among at least 5 who could meet it.";

export const suggestion = z.object({
  title: z.string(),
  rationale: z.string(),
  evidence: z.array(z.string()).describe("IDs of the supporting insights"),
  confidence: z.number().describe("Strength of the evidence, from 0 to 1. Not a probability"),
  sessions: extensionField(z.array(sessionMoment)).describe("Sessions that show it, the clearest first"),
});
export type Suggestion = z.output<typeof suggestion>;

/** One build, or build b compared with build a. */
interface SuggestionQuery {
  readonly build?: unknown;
  readonly a?: unknown;
  readonly b?: unknown;
}

/** Returns the error of a field in combination with the others, or null. */
function findModeError(field: keyof SuggestionQuery, { build, a, b }: SuggestionQuery): string | null {
  const compares = a !== undefined || b !== undefined;
  if (build !== undefined && compares) {
    if (field === "build") return "cannot be combined with a and b";
    return (field === "a" ? a : b) === undefined ? null : "cannot be combined with build";
  }
  if (field === "build") {
    return build === undefined && !compares ? "is required unless a and b are set" : null;
  }
  return compares && (field === "a" ? a : b) === undefined ? "is required" : null;
}

/** Adds the rule that a query has either build, or both a and b. It is checked only if each field is valid by itself. */
function requireOneMode<T extends z.ZodObject>(schema: T): T {
  let refined = schema;
  for (const field of ["build", "a", "b"] as const) {
    refined = refined.refine((value) => findModeError(field, value as SuggestionQuery) === null, {
      path: [field],
      error: ({ input }) => findModeError(field, input as SuggestionQuery) ?? "",
      when: ({ issues }) => issues.every(({ path, code }) => code === "custom" && path?.length === 1),
    });
  }
  return refined;
}

const buildParam = text(1, 200);

export const getBuildSuggestions = defineRead({
  name: "getBuildSuggestions",
  tool: "get_build_suggestions",
  path: "/api/v1/builds/compare/suggestions",
  summary: "Suggest what to fix first in a build, or what did not improve between two builds",
  tag: "builds",
  names: { game: "game", build: "build", a: "build", b: "build" },
  excludes: { build: ["a", "b"] },
  sample: { a: "{build}", b: "{build}" },
  query: requireOneMode(
    z.object({
      game: text(1, 200).describe("Game ID or slug"),
      build: buildParam.optional().describe("Build version. Cannot be combined with a and b"),
      a: buildParam.optional().describe("Baseline build. Requires b"),
      b: buildParam.optional().describe("Build to compare with the baseline. Requires a"),
      env: envFilter
        .refine((env) => env !== "all", "must be one environment, not all")
        .optional()
        .describe("Environment slug; `all` is not allowed (default: production)"),
    }),
  ),
  extensions: {
    fallback: z
      .enum([RULES_FALLBACK])
      .optional()
      .describe("Without an AI model, let rules write suggestions instead of a 402 error"),
  },
  response: z.object({
    ok: z.boolean().describe("Always true"),
    mode: openEnum(suggestionModes),
    game,
    environment: z.string(),
    a: z.string().optional(),
    b: z.string().optional(),
    suggestions: z.array(suggestion),
    source: openEnum(suggestionSources).describe("fallback: written by rules, not by an AI model"),
    fallbackReason: openEnum(fallbackReasons).optional(),
    providerStatus: z
      .int()
      .optional()
      .describe(
        "Status that the model's provider answered with. Only with provider-error; absent without an answer",
      ),
    emptyInput: z.boolean().describe("Whether there are no problems to suggest fixes for"),
  }),
  errors: ["not_found", "payment_required"],
});
export type BuildSuggestions = z.output<typeof getBuildSuggestions.response>;

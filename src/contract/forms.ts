/** Feedback forms: questions that a game shows to players. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum } from "./fields.ts";
import { game } from "./games.ts";

export const formFieldKinds = ["rating-1-5", "short-text", "long-text", "yes-no"] as const;
export type FormFieldKind = (typeof formFieldKinds)[number];

export const formField = z.object({
  id: z.string(),
  label: z.string(),
  kind: openEnum(formFieldKinds),
  required: z.boolean().optional(),
});
export type FormField = z.output<typeof formField>;

export const feedbackForm = z.object({
  id: z.string().describe("ID of the form (`ff_...`)"),
  name: z.string(),
  fields: z.array(formField),
  triggerHint: z.string().describe("When the game shows the form"),
  active: z.boolean(),
  responseCount: count.describe("Number of submissions"),
});
export type FeedbackForm = z.output<typeof feedbackForm>;

export const listGameFeedbackForms = defineRead({
  name: "listGameFeedbackForms",
  tool: "list_game_feedback_forms",
  path: "/api/v1/games/{id}/prompts",
  summary: "List the feedback forms of a game, newest first",
  tag: "games",
  names: { id: "game" },
  params: z.object({ id: gameParam }),
  response: z.object({ game, forms: z.array(feedbackForm) }),
  errors: ["not_found"],
});

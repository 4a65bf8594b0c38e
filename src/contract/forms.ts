/** Feedback forms: questions that a game shows to players. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum } from "./fields.ts";
import { game } from "./games.ts";
import { defineResource } from "./resource.ts";

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
});

/** The fields of a form with their kinds. `required` follows the id of each field that must be answered. */
const listFields = ({ fields }: FeedbackForm, required: string) =>
  fields.map((field) => `${field.id}${field.required ? required : " ("}${field.kind})`).join(", ");

export const forms = defineResource({
  name: "forms",
  item: feedbackForm,
  list: listGameFeedbackForms,
  items: "forms",
  filters: {},
  columns: {
    name: { header: "NAME", tone: "strong", shrink: 2 },
    id: { header: "ID" },
    active: {
      header: "ACTIVE",
      value: ({ active }) => (active ? "yes" : "no"),
      tone: ({ active }) => (active ? "good" : "muted"),
    },
    triggerHint: { header: "TRIGGER", shrink: 3 },
    responseCount: { header: "RESPONSES" },
    fields: {
      header: "FIELDS",
      value: (form) => listFields(form, "! ("),
      format: (form) => listFields(form, " (required, "),
      shrink: 1,
    },
    "fields.label": {
      header: "QUESTIONS",
      value: ({ fields }) => fields.map(({ label }) => label).join(" / "),
      wide: true,
      shrink: 1,
    },
  },
  command: {
    path: "games prompts",
    summary: "List a game's feedback forms and their response counts",
    details: "To read the responses, run `playtest sessions get` on a session.",
    argument: { name: "[game]", help: "game id or slug (default: the configured game)", param: "id" },
    examples: ["games prompts ember", "games prompts ember --json --jq '.forms[].responseCount'"],
    empty: "No feedback forms yet.",
  },
});

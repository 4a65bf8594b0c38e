/** Feedback forms: creating forms, and validating the answers of players. */

import { HttpError, type Issue } from "../../contract/errors.ts";
import type { FeedbackBody, InvalidResponseReason } from "../../contract/feedback.ts";
import { FEEDBACK_LIMITS } from "../../contract/feedback.ts";
import { type FormField, type FormFieldKind, formFieldKinds } from "../../contract/forms.ts";
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { badRequest } from "../core/http-errors.ts";
import { insertRow } from "../db/rows.ts";
import type { Db, FeedbackFormRow } from "../db/schema.ts";

interface NewForm {
  readonly name: string;
  readonly fields: readonly FormField[];
  readonly triggerHint: string;
  readonly active: boolean;
}

/** Creates a form. Throws `invalid` if its fields are not valid. */
export async function createForm(
  db: Db,
  deps: Pick<Dependencies, "now" | "newId">,
  gameId: string,
  form: NewForm,
): Promise<FeedbackFormRow> {
  checkFields(form.fields);
  const row = {
    game_id: gameId,
    id: deps.newId("ff"),
    name: form.name,
    fields: JSON.stringify(form.fields),
    trigger_hint: form.triggerHint,
    active: form.active ? 1 : 0,
    created_at: deps.now(),
  };
  await insertRow(db, "feedback_forms", row);
  return row;
}

/** Throws `invalid` if there are no fields, two fields with the same id, or a field of an unknown kind. */
function checkFields(fields: readonly FormField[]): void {
  if (fields.length === 0)
    throw new ServiceError("invalid", { message: "A form must have at least one field" });
  const seen = new Set<string>();
  for (const { id, kind } of fields) {
    if (!formFieldKinds.includes(kind as FormFieldKind))
      throw new ServiceError("invalid", {
        message: `Unknown kind ${JSON.stringify(kind)} of field ${JSON.stringify(id)}`,
        hint: `Use one of the kinds ${formFieldKinds.join(", ")}.`,
      });
    if (seen.has(id))
      throw new ServiceError("invalid", { message: `Two fields have the id ${JSON.stringify(id)}` });
    seen.add(id);
  }
}

type FormAnswer = FeedbackSubmission["responses"][number];

/**
 * Returns the non-empty answers in their stored form. Throws `bad_request` with all issues; its `reason` is the kind of
 * the first one.
 */
export function checkResponses(
  fields: readonly FormField[],
  responses: FeedbackBody["responses"],
): Omit<FormAnswer, "id">[] {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const answers = new Map<string, Omit<FormAnswer, "id">>();
  const issues = new SubmissionIssues();
  const seen = new Set<string>();
  for (const [index, { fieldId, value }] of responses.entries()) {
    const field = byId.get(fieldId);
    const path = ["responses", index, "fieldId"] as const;
    if (!field) issues.add("unknown_field", path, `${JSON.stringify(fieldId)} is not a field of the form`);
    else if (seen.has(fieldId))
      issues.add("repeated_field", path, `${JSON.stringify(fieldId)} must not be repeated`);
    else if (value.trim() !== "") {
      const parsed = answerParsers[field.kind as FormFieldKind](value);
      if (parsed.value === undefined)
        issues.add("invalid_value", ["responses", index, "value"], parsed.allowed);
      else answers.set(fieldId, { fieldId, label: field.label, kind: field.kind, value: parsed.value });
    }
    seen.add(fieldId);
  }
  if (issues.isEmpty && answers.size === 0)
    issues.add("no_responses", ["responses"], "must contain at least one non-empty answer");
  for (const { id, required } of fields) {
    if (required && issues.isEmpty && !answers.has(id))
      issues.add("missing_field", ["responses"], `must answer the required field ${JSON.stringify(id)}`);
  }
  issues.throwIfAny();
  return [...answers.values()];
}

/** Collects the issues of a submission. The first one determines the reason. */
class SubmissionIssues {
  readonly #issues: Issue[] = [];
  #reason: InvalidResponseReason | null = null;

  get isEmpty(): boolean {
    return this.#reason === null;
  }

  add(reason: InvalidResponseReason, path: Issue["path"], message: string): void {
    this.#reason ??= reason;
    this.#issues.push({ path, code: reason, message });
  }

  throwIfAny(): void {
    if (this.#reason === null) return;
    const { message } = badRequest(this.#issues);
    throw new HttpError("bad_request", { message, issues: this.#issues, extra: { reason: this.#reason } });
  }
}

interface ParsedAnswer {
  /** The stored form; undefined if the answer is not valid. */
  readonly value: string | undefined;
  /** The message if the answer is not valid. */
  readonly allowed: string;
}

const parseText = (maxLength: number) => (value: string) => ({
  value: value.length <= maxLength ? value : undefined,
  allowed: `must be at most ${maxLength} characters`,
});

/** Parsers of answers by the kind of the field. Yes-no answers may be booleans, which engines write as True or true. */
const answerParsers: Readonly<Record<FormFieldKind, (value: string) => ParsedAnswer>> = {
  "rating-1-5": (value) => ({
    value: /^[1-5]$/.test(value.trim()) ? value.trim() : undefined,
    allowed: "must be 1, 2, 3, 4 or 5",
  }),
  "yes-no": (value) => ({
    value: ({ yes: "yes", true: "yes", no: "no", false: "no" } as Record<string, string>)[
      value.trim().toLowerCase()
    ],
    allowed: "must be yes or no",
  }),
  "short-text": parseText(FEEDBACK_LIMITS.shortText),
  "long-text": parseText(FEEDBACK_LIMITS.longText),
};

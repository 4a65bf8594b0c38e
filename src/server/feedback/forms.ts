/** Feedback forms: made and changed by the studio, and the check of what a player answers to them. */

import { HttpError, type Issue } from "../../contract/errors.ts";
import type { FeedbackBody, ResponseFault } from "../../contract/feedback.ts";
import { FEEDBACK_LIMITS } from "../../contract/feedback.ts";
import { type FormField, type FormFieldKind, formFieldKinds } from "../../contract/forms.ts";
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { badRequest } from "../core/bad-request.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import type { Db, FeedbackFormRow } from "../db/schema.ts";
import { insertForm } from "./queries.ts";

export interface NewForm {
  readonly name: string;
  readonly fields: readonly FormField[];
  readonly triggerHint: string;
  readonly active: boolean;
}

/** Makes a form of a game. Throws `invalid` for fields that cannot be asked. */
export async function createForm(
  db: Db,
  making: Pick<Dependencies, "now" | "newId">,
  gameId: string,
  form: NewForm,
): Promise<FeedbackFormRow> {
  checkFields(form.fields);
  const row = {
    game_id: gameId,
    id: making.newId("ff"),
    name: form.name,
    fields: JSON.stringify(form.fields),
    trigger_hint: form.triggerHint,
    active: form.active ? 1 : 0,
    created_at: making.now(),
  };
  await insertForm(db, row);
  return row;
}

/** Throws `invalid` where a form has no field, two of one id, or one of a kind that is not known. */
function checkFields(fields: readonly FormField[]): void {
  if (fields.length === 0) throw new ServiceError("invalid", { message: "A form needs a field" });
  const seen = new Set<string>();
  for (const { id, kind } of fields) {
    if (!formFieldKinds.includes(kind as FormFieldKind))
      throw new ServiceError("invalid", {
        message: `Field ${JSON.stringify(id)}: the kind is one of ${formFieldKinds.join(", ")}`,
      });
    if (seen.has(id))
      throw new ServiceError("invalid", { message: `Two fields are called ${JSON.stringify(id)}` });
    seen.add(id);
  }
}

type FormAnswer = FeedbackSubmission["responses"][number];

/**
 * The answers that hold something, each in its stored form. Throws `bad_request`, with every fault as an issue and
 * the first one's kind as `reason`.
 */
export function checkResponses(
  fields: readonly FormField[],
  responses: FeedbackBody["responses"],
): Omit<FormAnswer, "id">[] {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const answers = new Map<string, Omit<FormAnswer, "id">>();
  const faults = new ResponseFaults();
  const given = new Set<string>();
  for (const [at, { fieldId, value }] of responses.entries()) {
    const field = byId.get(fieldId);
    if (!field) faults.add("unknown_field", ["responses", at, "fieldId"], "is no field of the form");
    else if (given.has(fieldId))
      faults.add("repeated_field", ["responses", at, "fieldId"], "is answered twice");
    else if (value.trim() !== "") {
      const read = answerParsers[field.kind as FormFieldKind](value);
      if (read.value === undefined) faults.add("invalid_value", ["responses", at, "value"], read.allowed);
      else answers.set(fieldId, { fieldId, label: field.label, kind: field.kind, value: read.value });
    }
    given.add(fieldId);
  }
  if (faults.isEmpty && answers.size === 0) faults.add("no_responses", ["responses"], "holds no answer");
  for (const { id, required } of fields) {
    if (required && faults.isEmpty && !answers.has(id))
      faults.add("missing_field", ["responses"], `must answer ${JSON.stringify(id)}`);
  }
  faults.throwIfAny();
  return [...answers.values()];
}

/** What is wrong with a submission. */
class ResponseFaults {
  readonly #issues: Issue[] = [];
  #reason: ResponseFault | null = null;

  get isEmpty(): boolean {
    return this.#reason === null;
  }

  add(reason: ResponseFault, path: Issue["path"], message: string): void {
    this.#reason ??= reason;
    this.#issues.push({ path, code: reason, message });
  }

  throwIfAny(): void {
    if (this.#reason === null) return;
    const { message } = badRequest(this.#issues);
    throw new HttpError("bad_request", { message, issues: this.#issues, extra: { reason: this.#reason } });
  }
}

/** A value in its stored form, or what is allowed instead. */
interface ParsedAnswer {
  readonly value: string | undefined;
  readonly allowed: string;
}

const parseText = (most: number) => (value: string) => ({
  value: value.length <= most ? value : undefined,
  allowed: `must be at most ${most} characters`,
});

/** How an answer is read by its field's kind; engines write a bool in their own way. */
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

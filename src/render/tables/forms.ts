/** Table columns of feedback forms. */
import type { FeedbackForm } from "../../contract/forms.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn, wideColumn } from "./columns.ts";

export const formColumns: readonly TableColumn<FeedbackForm>[] = [
  { key: "name", header: "NAME", value: (form) => form.name, style: "strong", shrink: 2 },
  textColumn("id", "ID", (form) => form.id),
  {
    key: "active",
    header: "ACTIVE",
    value: (form) => (form.active ? "yes" : "no"),
    style: (form) => (form.active ? "good" : "muted"),
  },
  textColumn("triggerHint", "TRIGGER", (form) => form.triggerHint, 3),
  textColumn("responseCount", "RESPONSES", (form) => form.responseCount),
  {
    key: "fields",
    header: "FIELDS",
    value: (form) =>
      form.fields.map(({ id, kind, required }) => `${id}${required ? "!" : ""} (${kind})`).join(", "),
    format: (fields) => String(fields).replaceAll("! (", " (required, "),
    shrink: 1,
  },
  wideColumn(
    textColumn("fields.label", "QUESTIONS", (form) => form.fields.map(({ label }) => label).join(" / "), 1),
  ),
];

/** Titles of tags: what a tag means in words that only the service knows, such as the question of a form field. */
import * as z from "zod";
import { extensionField } from "./fields.ts";

/** The title of the `tag` in the same object. */
export const tagTitle = extensionField(
  z
    .string()
    .describe("The tag in words, such as `Confusion reported in answers to “Anything else?”`. May change"),
);

/** The titles of a list of tags, in the same order. */
export const tagTitles = extensionField(z.array(z.string()).describe("The tags in words, in the same order"));

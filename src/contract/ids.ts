/** Short ids: the beginning of an id, as tables show it. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { idKinds } from "./id-kinds.ts";

export const MAX_MATCHING_IDS = 10;

export const findIds = defineRead({
  name: "findIds",
  tool: null,
  path: "/api/v1/ids",
  summary: "Find the ids that begin with a text",
  tag: "sessions",
  extension: true,
  sample: { prefix: "sess_0" },
  query: z.object({
    prefix: z
      .string()
      .max(100)
      .regex(
        /^(sess|ins|exp|ptb|sub|bug)_[\w-]+$/,
        `must be the beginning of an id: ${idKinds.map((kind) => `${kind}_...`).join(", ")}`,
      )
      .describe(
        "Beginning of the id of a session (`sess_`), insight (`ins_`), experiment (`exp_`), batch (`ptb_`), feedback submission " +
          "(`sub_`) or bug report (`bug_`), with at least one character after the underscore",
      ),
  }),
  response: z.object({
    items: z
      .array(z.object({ id: z.string(), gameId: z.string() }))
      .describe(`In ascending order. At most ${MAX_MATCHING_IDS}`),
    hasMore: z.boolean().describe("Whether more ids match"),
  }),
});

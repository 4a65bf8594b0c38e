/** The result of a gate that ended with an error: what the JSON report contains instead of a verdict. */
import * as z from "zod";
import { VERDICT_VERSION } from "./verdict.ts";

export const gateError = z.object({
  schemaVersion: z.literal(VERDICT_VERSION),
  verdict: z.literal("error"),
  game: z
    .string()
    .nullable()
    .describe(
      "The game as it was specified, or its slug if the service found the game; null if none was specified",
    ),
  environment: z.string(),
  a: z.string().describe("The baseline as it was specified, such as `previous`"),
  b: z.string().describe("The build as it was specified"),
  error: z.object({
    code: z.string().describe("Name of the error, such as `network`"),
    message: z.string(),
    hint: z.string().describe("What to do next"),
    status: z.int().nullable().describe("HTTP status of the response, or null without one"),
    requestId: z.string().nullable(),
    exitCode: z.int(),
  }),
});
export type GateError = z.output<typeof gateError>;

/** Validates responses. */
import type * as z from "zod";
import type { Endpoint, Output } from "../contract/define.ts";
import { countValues, MAX_CHUNK_VALUES } from "./count-values.ts";
import { ClientError } from "./errors.ts";

/**
 * Returns the response unchanged if it matches the contract. Throws `contract` with the path of the first invalid
 * field; within a list that is validated in chunks, indexes count from the start of the chunk.
 */
export async function checkResponse<E extends Endpoint>(
  endpoint: E,
  { json, requestId }: { readonly json: unknown; readonly requestId: string | null },
): Promise<Output<E>> {
  const issue = await findFirstIssue(endpoint.response, json);
  if (issue === undefined) return json as Output<E>;
  const field = issue.path.join(".") || "the body";
  const message = `The response of ${endpoint.path} does not match the API contract: ${field} ${issue.message}`;
  throw new ClientError("contract", message, { requestId });
}

async function findFirstIssue(schema: z.ZodType, value: unknown): Promise<z.core.$ZodIssue | undefined> {
  if (countValues(value) < MAX_CHUNK_VALUES) return schema.safeParse(value).error?.issues[0];
  // Most commands receive small responses and need not load it.
  const { findLargeIssue } = await import("./check-large-response.ts");
  return findLargeIssue(schema, value);
}

/** Serves the API's own description: without a key, for what it tells is no secret. */
import { buildOpenApiDocument } from "../../contract/openapi.ts";
import { examples } from "../../contract/openapi-examples.generated.ts";

let text: string | null = null;

/** The OpenAPI document as JSON; made when it is first asked for. */
export function openApiText(): string {
  text ??= JSON.stringify(buildOpenApiDocument(examples));
  return text;
}

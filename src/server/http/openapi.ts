/** The OpenAPI document of the service. It contains no secrets, so it is served without a key. */
import { buildOpenApiDocument } from "../../contract/openapi.ts";
import { examples } from "../../contract/openapi-examples.generated.ts";

let text: string | null = null;

/** Returns the OpenAPI document as JSON, which is built on the first call. */
export function openApiText(): string {
  text ??= JSON.stringify(buildOpenApiDocument(examples));
  return text;
}

/** The OpenAPI document of the service. It contains no secrets, so it is served without a key. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildOpenApiDocument, type OpenApiExamples } from "../../contract/openapi.ts";

/** What is read from the document: the examples of responses. */
interface RecordedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RecordedOperation>>>>;
}
interface RecordedOperation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: { readonly "application/json": { readonly example?: unknown } } }>
  >;
}

/** Reads the examples that `npm run generate` recorded from a service with the demo studio. */
function readExamples(): OpenApiExamples {
  const file = join(import.meta.dirname, "../../../docs/openapi.json");
  const { paths } = JSON.parse(readFileSync(file, "utf8")) as RecordedDocument;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return Object.fromEntries(
    operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(([status, { content }]) => [
        `${operationId} ${status}`,
        content?.["application/json"].example,
      ]),
    ),
  );
}

/** The document as JSON. */
export const openApiText: string = JSON.stringify(buildOpenApiDocument(readExamples()));

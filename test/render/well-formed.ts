/** Checks with libxml2 that documents are well-formed XML. */
import { validateXML } from "xmllint-wasm";

/** Returns the errors in all documents, each with the index of its document. Starting the parser takes 0.25 s. */
export async function xmlFaultsOf(documents: readonly string[]): Promise<unknown[]> {
  const xml = documents.map((contents, at) => ({ fileName: `${at}.xml`, contents }));
  const { valid, errors } = await validateXML({ xml, extension: "schema", schema: [] });
  return valid ? [] : [...errors, { valid }];
}

/** Text of players and other strangers that must stay text on a page, and pages full of it. */
import type { Page } from "../../src/console/page.ts";
import { replaceStrings } from "../cli/hostile-responses.ts";
import { findEndpoint, responseBodies } from "../client/response-fixtures.ts";
import { NOW } from "../harness.ts";
import { ATTACKS } from "../render/samples.ts";
import { showPage } from "./open-page.ts";

export const hostileTexts: Readonly<Record<string, string>> = {
  "a script": "<script>alert(1)</script>",
  "a picture": '"><img src=x onerror=alert(1)>',
  "the end of an attribute": `' onmouseover='alert(1)' x="`,
  "the end of an element": "</title></style></textarea></main><base href=//evil.test><svg onload=alert(1)>",
  "a script address": "javascript:alert(1)//",
  "another site": "//evil.test/\\x",
  "a template": "{{constructor.constructor('alert(1)')()}}<!--",
  entities: "&lt;script&gt;&#60;img&#62;&quot;&amp;amp;",
  directions: "safe\u202etxt.exe\u2066\u200b\u2069\ufeff",
  "every control and invisible character": ATTACKS.join("x"),
  "half a pair": "\ud83d and \udd25",
  "a key of objects": "__proto__",
  "a path": "../../x?a=1&format=json#y",
  spaces: "   ",
  "long text": `<b>${"x".repeat(10_000)}`,
};

/** The id in the path of every hostile page. */
const ID = "x";

/** A response of which every string is a text, except the ids that must match those in the path. */
function answer(endpoint: string, text: string): unknown {
  const body = replaceStrings(responseBodies[endpoint], text) as Record<string, never>;
  const { games, session, experiments } = body as Readonly<Record<string, Record<string, unknown>>>;
  if (endpoint === "listGames") Object.assign(games?.[0] as object, { id: ID });
  if (endpoint === "getSession") Object.assign(session as object, { gameId: ID });
  if (endpoint === "getInsight") Object.assign(body, { gameId: ID });
  if (endpoint === "listGameExperiments") Object.assign(experiments?.[0] as object, { id: ID });
  return body;
}

/** A page of which every text that the service returns is hostile. */
export async function showHostilePage(page: Page, text: string) {
  const path = page.path.replaceAll(/\{\w+\}/g, ID);
  const shown = await showPage(path, NOW, async ({ url }) => Response.json(answer(findEndpoint(url), text)));
  return { path, ...shown };
}

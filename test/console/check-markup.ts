/** Finds active or foreign content in the HTML of pages. It accepts only what the element builder writes. */
import { forbiddenIn } from "../render/samples.ts";

/** A tag with quoted attributes. */
const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?: [a-zA-Z][\w:-]*="[^"<>]*")*)(\/?)>/g;
const ATTRIBUTE = / ([a-zA-Z][\w:-]*)="([^"]*)"/g;

/** Elements that load, embed or run something, except the links and the script of the console. */
const ACTIVE =
  /^(iframe|object|embed|base|img|image|use|style|foreignobject|animate|set|audio|video|source|template)$/i;

/** Attributes with an address. */
const ADDRESS = /^(href|src|action|formaction|xlink:href|srcset|data|poster|ping|background)$/i;

/** A path of this server, or a part of the page. */
const OWN = /^(\/(?![/\\])|#|$)/;

/** Whether pages must not have an element with these attributes. */
function isActive(tag: string, name: string, attributes: string): boolean {
  if (ACTIVE.test(name)) return true;
  if (/^script$/i.test(name)) return !/^<script src="\/files\/script-\w+\.js" defer="">$/.test(tag);
  if (/^meta$/i.test(name) && /http-equiv/i.test(attributes)) return true;
  return [...attributes.matchAll(ATTRIBUTE)].some(
    ([, attribute = "", value = ""]) =>
      /^(on|style$)/i.test(attribute) || (ADDRESS.test(attribute) && !OWN.test(value)),
  );
}

/** What is wrong with the HTML of a page. */
export function findActiveContent(html: string): string[] {
  const problems: string[] = [];
  const text = html.replace(/^<!doctype html>/i, "").replace(TAG, (tag, closing, name, attributes) => {
    if (!closing && isActive(tag, name, attributes)) problems.push(tag);
    return "";
  });
  if (html.split("<script").length > 2) problems.push("several scripts");
  // Whatever is not such a tag must not begin or end one.
  const rest = /[<>]/.exec(text);
  if (rest) problems.push(text.slice(Math.max(0, rest.index - 40), rest.index + 40));
  // The value of a field is sent back, so it is unchanged. Invisible letters have no escape there.
  problems.push(...forbiddenIn(html.replaceAll(/ value="[^"]*"/g, ""), "\n"));
  problems.push(...(html.match(/[\0-\x09\x0b-\x1f\x7f-\x9f\p{Cf}]/gu) ?? []));
  return problems;
}

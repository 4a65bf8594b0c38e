/** Takes out of a chunk what esbuild repeats in each: the helpers of its exports, which the loader has once. */

/** The helpers that the loader stands in for. A chunk that declares another keeps its own. */
const SHARED = new Set([
  "__create",
  "__defProp",
  "__getOwnPropDesc",
  "__getOwnPropNames",
  "__getProtoOf",
  "__hasOwnProp",
  "__export",
  "__copyProps",
  "__toESM",
  "__toCommonJS",
]);

const END_OF_HEAD = /module\.\s*exports=\s*__toCommonJS\(\s*stdin_exports\s*\)\s*;/;
const EXPORTS = /var stdin_exports=\{\};__export\(stdin_exports,(\{.*\})\);$/;
/** For tools that read exports without running the code; nothing here does. */
const NAMES_AT_END = /0&&\(\s*module\.\s*exports=\s*\{[^}]*\}\s*\);\s*$/;

/** The code of a chunk with `require.expose` in place of the helpers; the same code where it needs others. */
export function shareHelpers(code) {
  const end = END_OF_HEAD.exec(code);
  if (!end) return code;
  const head = code.slice(0, end.index).replaceAll("\n", "");
  const body = code.slice(end.index + end[0].length).replace(NAMES_AT_END, "");
  const declared = [...head.matchAll(/(?:var |,)(__\w+)=/g)].map(([, name]) => name);
  const exposed = EXPORTS.exec(head);
  const used = [...SHARED].filter((name) => name !== "__toESM" && body.includes(`${name}(`));
  if (!exposed || used.length > 0 || declared.some((name) => !SHARED.has(name))) return code;
  const toEsm = declared.includes("__toESM") ? "var __toESM=require.toESM;" : "";
  return `${toEsm}require.expose(module,${exposed[1]});${body}`;
}

/** Removes the helpers for exports that esbuild repeats in every chunk. The loader provides them once. */

/** The helpers that the loader provides. A chunk that declares any other helper is not changed. */
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

const HELPERS_END = /module\.\s*exports=\s*__toCommonJS\(\s*stdin_exports\s*\)\s*;/;
const EXPORTS = /var stdin_exports=\{\};__export\(stdin_exports,(\{.*\})\);$/;
/** The names of the exports for tools that read them without running the code. Nothing here needs them. */
const EXPORT_NAMES = /0&&\(\s*module\.\s*exports=\s*\{[^}]*\}\s*\);\s*$/;

/** Returns the code of a chunk with `require.expose` instead of the helpers, or the unchanged code if it needs others. */
export function shareHelpers(code) {
  const end = HELPERS_END.exec(code);
  if (!end) return code;
  const head = code.slice(0, end.index).replaceAll("\n", "");
  const body = code.slice(end.index + end[0].length).replace(EXPORT_NAMES, "");
  const declared = [...head.matchAll(/(?:var |,)(__\w+)=/g)].map(([, name]) => name);
  const exposed = EXPORTS.exec(head);
  const used = [...SHARED].filter((name) => name !== "__toESM" && body.includes(`${name}(`));
  if (!exposed || used.length > 0 || declared.some((name) => !SHARED.has(name))) return code;
  const toEsm = declared.includes("__toESM") ? "var __toESM=require.toESM;" : "";
  return `${toEsm}require.expose(module,${exposed[1]});${body}`;
}

/** The arrows between the layers: what each may import. Anything else fails the lint. */

/** Layer -> what it may import beside itself. */
const arrows = {
  contract: [],
  client: ["contract"],
  gate: ["contract"],
  pictures: ["contract", "gate"],
  render: ["contract", "gate", "pictures"],
  demo: ["contract"],
  mcp: ["contract", "client", "pictures", "render"],
  server: ["contract", "mcp"],
  export: ["contract", "client"],
  cli: ["contract", "client", "render", "gate", "export", "pictures", "mcp"],
};

/** The commands that run the service itself: the only way from the command line into it. */
const BRIDGE = "^src/cli/commands/(server|admin)/";

const layers = Object.entries(arrows).map(([layer, allowed]) => ({
  name: `${layer}-imports`,
  severity: "error",
  comment: `src/${layer} may import ${[...allowed, "itself"].join(", ")}`,
  from: { path: `^src/${layer}/`, pathNot: layer === "cli" ? BRIDGE : "^$" },
  to: { path: "^src/", pathNot: `^src/(${[layer, ...allowed].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: "bridge-imports",
      severity: "error",
      comment: "the commands of server and admin join the command line, the service and the demo",
      from: { path: BRIDGE },
      to: { path: "^src/", pathNot: "^src/(cli|server|demo|contract|client|render)/" },
    },
    {
      name: "contract-is-pure",
      severity: "error",
      comment: "the contract needs zod alone",
      from: { path: "^src/contract/" },
      to: { dependencyTypesNot: ["local"], pathNot: "(^|/)zod(/|$)" },
    },
    {
      name: "sql-in-queries",
      severity: "error",
      comment: "only queries and the database folder build SQL by hand",
      from: { path: "^src/", pathNot: "^src/server/(queries|db)/" },
      to: { path: "(^|/)kysely(/|$)" },
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "modules that need each other are one module",
      from: { path: "^src/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "resolvable",
      severity: "error",
      comment: "every import leads somewhere",
      from: { path: "^src/" },
      to: { couldNotResolve: true, pathNot: "^node:sqlite$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js", ".mjs", ".cjs"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};

/** The arrows between the layers: what each may import. Anything else fails the lint. */

/** Layer -> what it may import beside itself and `shared`, which every layer may import. */
const arrows = {
  shared: [],
  contract: [],
  client: ["contract"],
  gate: ["contract"],
  charts: ["contract", "gate"],
  render: ["contract", "gate", "charts"],
  demo: ["contract"],
  mcp: ["contract", "client", "charts", "render"],
  server: ["contract", "mcp"],
  export: ["contract", "client"],
  cli: ["contract", "client", "render", "gate", "export", "charts", "mcp"],
};

/** The commands that run the service itself: the only way from the command line into it. */
const BRIDGE = "^src/cli/commands/(server|admin)/";

/**
 * The modules of the service, each after those it needs: a module may import itself and what comes before it. The last
 * one, http, knows all of them, and none of them knows it.
 */
const serverModules = [
  "core",
  "db",
  "accounts",
  "games",
  "insights",
  "sessions",
  "positions",
  "telemetry",
  "feedback",
  "analysis",
  "builds",
  "testers",
  "playtests",
  "experiments",
  "archive",
  "observability",
  "http",
];

const modules = serverModules.map((module, at) => ({
  name: `server-${module}-imports`,
  severity: "error",
  comment: `src/server/${module} may import ${["itself", ...serverModules.slice(0, at)].join(", ")}`,
  from: { path: `^src/server/${module}/` },
  to: { path: "^src/server/", pathNot: `^src/server/(${serverModules.slice(0, at + 1).join("|")})/` },
}));

const layers = Object.entries(arrows).map(([layer, allowed]) => ({
  name: `${layer}-imports`,
  severity: "error",
  comment: `src/${layer} may import ${[...new Set([...allowed, "shared", "itself"])].join(", ")}`,
  from: { path: `^src/${layer}/`, pathNot: layer === "cli" ? BRIDGE : "^$" },
  to: { path: "^src/", pathNot: `^src/(${[layer, "shared", ...allowed].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...layers,
    ...modules,
    {
      name: "bridge-imports",
      severity: "error",
      comment: "the commands of server and admin join the command line, the service and the demo",
      from: { path: BRIDGE },
      to: { path: "^src/", pathNot: "^src/(cli|server|demo|contract|client|render|shared)/" },
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
      comment: "only the queries of a module and the database folder build SQL by hand",
      from: { path: "^src/", pathNot: "^src/server/(db/|.*queries[.]ts$)" },
      to: { path: "(^|/)kysely(/|$)" },
    },
    {
      name: "known-server-modules",
      severity: "error",
      comment: "src/server holds its modules and the composition root, start.ts, and nothing else",
      from: { path: "^src/server/", pathNot: `^src/server/(start[.]ts$|(${serverModules.join("|")})/)` },
      to: {},
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "files never import each other in a circle, not even for a type",
      from: { path: "^src/" },
      to: { circular: true },
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

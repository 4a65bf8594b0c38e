/** Rules for imports between folders. `npm run lint` fails on any other import. */

/** The layers that each layer may import, besides itself and `shared`. */
const layerImports = {
  shared: [],
  statistics: [],
  scorecard: ["statistics"],
  contract: [],
  webhooks: [],
  client: ["contract", "scorecard", "statistics"],
  gate: ["contract", "scorecard", "statistics"],
  charts: ["contract", "gate", "scorecard", "statistics"],
  render: ["contract", "gate", "charts", "scorecard", "statistics"],
  demo: ["contract"],
  mcp: ["contract", "client", "charts", "render", "scorecard"],
  report: ["contract", "client", "gate", "charts", "scorecard"],
  console: ["contract", "client", "gate", "charts", "render", "report", "scorecard"],
  server: ["contract", "gate", "charts", "render", "mcp", "console", "webhooks", "scorecard", "statistics"],
  export: ["contract", "client"],
  cli: [
    "contract",
    "client",
    "render",
    "gate",
    "export",
    "charts",
    "mcp",
    "report",
    "webhooks",
    "scorecard",
    "statistics",
  ],
};

/** The commands that run the service in their own process. No other code of the command line may import the service. */
const BRIDGE = "^src/cli/commands/(server|admin)/";

/**
 * The modules of the service in dependency order: a module may import itself and the modules before it. The last modules,
 * http and workers, import all others.
 */
const serverModules = [
  "core",
  "db",
  "audit",
  "accounts",
  "games",
  "ids",
  "notifications",
  "insights",
  "sessions",
  "positions",
  "telemetry",
  "feedback",
  "analysis",
  "builds",
  "gates",
  "testers",
  "playtests",
  "experiments",
  "analytics",
  "erasure",
  "pruning",
  "quarantine",
  "archive",
  "backups",
  "observability",
  "http",
  "workers",
];

const modules = serverModules.map((module, index) => ({
  name: `server-${module}-imports`,
  severity: "error",
  comment: `src/server/${module} may import ${["itself", ...serverModules.slice(0, index)].join(", ")}`,
  from: { path: `^src/server/${module}/` },
  to: { path: "^src/server/", pathNot: `^src/server/(${serverModules.slice(0, index + 1).join("|")})/` },
}));

const layers = Object.entries(layerImports).map(([layer, allowed]) => ({
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
      comment: "only the server and admin commands may import the service and the demo",
      from: { path: BRIDGE },
      to: { path: "^src/", pathNot: "^src/(cli|server|demo|contract|client|render|shared|webhooks)/" },
    },
    {
      name: "contract-is-pure",
      severity: "error",
      comment: "the contract may import no package except zod",
      from: { path: "^src/contract/" },
      to: { dependencyTypesNot: ["local"], pathNot: "(^|/)zod(/|$)" },
    },
    {
      name: "statistics-are-pure",
      severity: "error",
      comment: "src/statistics may only import itself: numbers in, numbers out",
      from: { path: "^src/statistics/" },
      to: { pathNot: "^src/statistics/" },
    },
    {
      name: "sql-in-queries",
      severity: "error",
      comment: "only src/server/db and files named *queries.ts may import kysely to build SQL",
      from: { path: "^src/", pathNot: "^src/server/(db/|.*queries[.]ts$)" },
      to: { path: "(^|/)kysely(/|$)" },
    },
    {
      name: "known-server-modules",
      severity: "error",
      comment: "src/server may only contain the listed modules and start.ts, which puts them together",
      from: { path: "^src/server/", pathNot: `^src/server/(start[.]ts$|(${serverModules.join("|")})/)` },
      to: {},
    },
    {
      name: "no-cycles",
      severity: "error",
      comment: "circular imports are not allowed, not even for types",
      from: { path: "^src/" },
      to: { circular: true },
    },
    {
      name: "resolvable",
      severity: "error",
      comment: "every import must resolve to a file or package",
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

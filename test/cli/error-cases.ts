/** Every error message of the command line: how to provoke it, as a command line and its environment. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { ClientError } from "../../src/client/errors.ts";
import { EXTENSIONS_HEADER } from "../../src/contract/announcement.ts";
import { ENDPOINT_HEADER } from "../../src/contract/define.ts";
import { judge } from "../../src/gate/judge.ts";
import { listSequentialRules } from "../../src/gate/sequential-rules.ts";
import { migrations } from "../../src/server/db/migrations/index.ts";
import { createPage, findEndpoint, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { type ReplySource, rateLimited, type ScriptedReply } from "../client/script.ts";
import { gateInput } from "../gate/samples.ts";
import type { CliOptions } from "../harness.ts";

export interface ErrorCase {
  /** The command line; an array if an argument contains spaces. */
  readonly line: string | readonly string[];
  /** A command to run first. `ID` in the line is replaced with the id of the batch, session or webhook that it creates. */
  readonly first?: string;
  /** The environment of the first command. */
  readonly firstEnv?: Readonly<Record<string, string>>;
  /** The responses of the service, in order. Without any, no request may be sent. */
  readonly replies?: readonly ReplySource[];
  /** The service announces all extensions. */
  readonly announces?: true;
  /** Uses the network instead of `replies`. */
  readonly sockets?: true;
  /** The config file. With it or with `env`, the default environment variables are not set. */
  readonly config?: ConfigFile | string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Symbolic links and their targets. */
  readonly links?: Readonly<Record<string, string>>;
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  readonly options?: Partial<CliOptions>;
}

const compared = responseBodies.compareBuilds as { readonly buildA: object; readonly buildB: object };
const keyless = { PLAYTEST_BASE_URL: "https://studio.test" };

const status = (code: number, error: string, more: object = {}): ScriptedReply => ({
  status: code,
  body: { error, ...more },
  headers: { "x-request-id": "req-1" },
});
const respond = (line: string, ...replies: ReplySource[]): ErrorCase => ({ line, replies });
/** A service that announces all extensions. */
const respondOwn = (line: string, ...replies: ReplySource[]): ErrorCase => ({
  line,
  replies,
  announces: true,
});
const profile = (settings: object): ConfigFile => ({ profiles: { default: settings } });
const repository = (content: string): Record<string, string> => ({ "playtest.config.json": content });
const base = (url: string): ErrorCase => ({
  line: "games list",
  env: { PLAYTEST_BASE_URL: url, PLAYTEST_KEY: "k" },
});
const writeError = (code: string) => Object.assign(new Error(`write ${code}`), { code });
/** A service that has only the comparison, and sessions. */
const compareWith =
  (testersInBatch: number): ReplySource =>
  ({ url }) => {
    const name = findEndpoint(url);
    const { buildA, buildB } = compared;
    const count = (build: object) => ({ ...build, testersInBatch });
    return name === "compareBuilds"
      ? { body: { ...compared, buildA: count(buildA), buildB: count(buildB) } }
      : { body: responseBodies[name] };
  };
const noBuilds: ScriptedReply = { body: { items: [], hasMore: false, total: 0 } };

const announcing = (names: string): ScriptedReply => ({
  body: responseBodies.listGames,
  headers: { [EXTENSIONS_HEADER]: names },
});
const listedBuilds = responseBodies.listBuilds as { readonly items: readonly object[] };
const registeredBuilds = {
  ...listedBuilds,
  items: listedBuilds.items.map((build) => ({ ...build, registeredAt: 1 })),
};

/** The state of repeated gate runs, of a verdict with `--max-increase 90`. */
const repeatedRuns = {
  playtestLooks: 2,
  rules: {
    ...listSequentialRules(gateInput([]), 22),
    maxIncreasePoints: 90,
  },
  ...{ plannedTesters: 22, testers: 22, spent: 0.05 },
  verdict: judge(gateInput([])),
};

const MAP_BOUNDS = "--map-bounds 0,0,1,1";
const heatmap = responseBodies.getHeatmap as { readonly rooms: readonly object[] };
const twoRooms = {
  ...heatmap,
  rooms: [...heatmap.rooms, ...heatmap.rooms, ...heatmap.rooms].slice(0, 2),
  applied: { source: "all" },
};

/** The response of an older service to a request for any room: only the 12 rooms with the most positions. */
const busiestRooms = {
  ...heatmap,
  rooms: Array.from({ length: 12 }, (_, at) => ({ ...heatmap.rooms[0], room: `room-${at}` })),
  eventCount: 1_000_000,
};

const suggestionsByRules: ScriptedReply = {
  status: 200,
  body: {
    ...(responseBodies.getBuildSuggestions as object),
    source: "fallback",
    fallbackReason: "provider-error",
    providerStatus: 401,
  },
};

/** Errors in responses and on the network. */
const responses: Readonly<Record<string, ErrorCase>> = {
  "a value that the service rejects": respond(
    "games list",
    status(400, "Bad request", { issues: [{ path: ["limit"], code: "too_small", message: "at least 1" }] }),
  ),
  "an unknown key": respond("games list", status(401, "Invalid key")),
  "an unknown ingest key": respond("experiments assign dev_1 -g ember", status(401, "Invalid key")),
  "a model without payment": respond("builds suggestions 0.9.0 -g ember", status(402, "AI key required")),
  "suggestions by rules with --ai-only": respond(
    "builds suggestions 0.9.0 -g ember --ai-only",
    suggestionsByRules,
  ),
  "a key of the wrong kind": respond("games list", status(403, "Forbidden", { requiredScope: "management" })),
  "a game that does not exist": respond("games get nosuch", status(404, "Not found")),
  "an environment that the key does not accept": {
    line: "ingest telemetry -",
    stdin: '{"gameId":"ember","events":[]}\n',
    replies: [
      status(403, "This key only accepts data of the environment staging", { reason: "wrong_environment" }),
    ],
  },
  "a missing CI key": { line: "builds register 0.9.0 -g ember" },
  "a build that does not exist": respond("builds get 9.9 -g ember", status(404, "Not found")),
  "a tester without sessions": respond("testers get nobody -g ember", status(404, "Not found")),
  "--since with --from": respond("insights list --since 7d --from 3d"),
  "a filter of insights with --by": respond("insights list --by tag --type confusion"),
  "a filter that the service ignores": respond("insights list --tag t:x", {
    body: responseBodies.listInsights,
  }),
  "a playtest batch without --never-played": respond("testers list --batch ptb_1 -g ember"),
  "a filter with --never-played": respond("testers list --never-played --last-seen-before 7d -g ember"),
  "a range of the last session that ends before it starts": respond(
    "testers list -g ember --last-seen-after 2026-02-27 --last-seen-before 2026-02-26",
  ),
  "a feedback form that does not exist": respondOwn(
    "feedback list --form ff_9 -g ember",
    { ...status(404, "Not found"), headers: { [ENDPOINT_HEADER]: "listFeedback" } },
    { body: responseBodies.listGameFeedbackForms },
  ),
  "a tester that does not exist": respond("testers journey nobody -g ember", status(404, "Not found")),
  "a reserved tester": respond("testers get archetypes -g ember"),
  "two builds that do not exist": respond("builds compare 1 2 -g ember", ({ url }) =>
    new URL(url).pathname.endsWith("/sessions") ? noBuilds : status(404, "Not found"),
  ),
  "two builds of a game that does not exist": respond("builds compare 1 2 -g embr", status(404, "Not found")),
  "an extension that the service does not offer": respond(
    "sessions events sess_0123",
    status(404, "Not found"),
  ),
  "the beginning of two session ids": respondOwn("sessions get sess_1f", status(404, "Not found"), {
    body: {
      items: [
        { id: "sess_1f1", gameId: "game_1" },
        { id: "sess_1f2", gameId: "game_1" },
      ],
      hasMore: false,
    },
  }),
  "the beginning of an id on a service without short ids": respond(
    "sessions get sess_1f",
    status(404, "Not found"),
  ),
  "a path that does not exist": respond("api nosuch", status(404, "Not found")),
  "a method that is not allowed": respond("games list", status(405, "Method not allowed")),
  "a conflict": respond("games list", status(409, "Conflict")),
  "a body that is too large": respond(
    "ingest discord --channel c -g ember",
    status(413, "Request body too large"),
  ),
  "an unsupported media type": respond(
    "ingest discord --channel c -g ember",
    status(415, "Unsupported media type"),
  ),
  "an unknown host name": respond("games list", status(421, "Unknown host")),
  "another 4xx status": respond("games list", status(418, "I am a teapot")),
  "the rate limit": respond("games list", rateLimited(3_600_000)),
  "an internal error": respond("games list", status(500, "Internal error")),
  "a 502 status without an error body": respond("games list", { status: 502, body: "<html>" }),
  "a service whose database is full": respond("games list", status(507, "The database has its maximum size")),
  "a service that is shutting down": respond("games list", status(503, "Unavailable")),
  "a refused connection": { ...base("http://127.0.0.1:1"), sockets: true },
  "a timeout": respond(
    "games list",
    new ClientError("timeout", "http://127.0.0.1:1 did not respond within 30 s"),
  ),
  "a response without a required field": respond("games list", { body: { hello: "world" } }),
  "a response that is not JSON": respond("games list", { body: "<html>" }),
  "a redirect": respond("games list", { status: 302, headers: { location: "https://login.test/" } }),
  "a list that repeats its cursor": respondOwn(
    "sessions events s1 --all",
    { body: { items: [], next: "c1" } },
    { body: { items: [], next: "c1" } },
  ),
  "a list that ends too early": respond("sessions list --all", {
    body: { items: [], hasMore: true, total: 5 },
  }),
  "a game without earlier builds": respond("builds compare previous latest -g ember", {
    body: { items: [SESSION], hasMore: false, total: 1 },
  }),
  "a game without builds": respond("builds get latest -g ember", noBuilds),
  "a game whose sessions name no build": respond("builds get latest -g ember", {
    body: {
      items: [{ ...SESSION, metadata: { ...SESSION.metadata, gameVersion: "unknown" } }],
      hasMore: false,
      total: 1,
    },
  }),
  "a room without positions": respond("heatmap -g ember --room attic", { body: responseBodies.getHeatmap }),
  "an event that an older service cannot select": {
    ...respond("heatmap -g ember --event player_death", { body: heatmap }),
  },
  "marks that an older service does not return": {
    ...respond("heatmap -g ember --marks quits", { body: heatmap }),
  },
  "a room that an older service does not search for": respond("heatmap -g ember --room attic", {
    body: busiestRooms,
  }),
  "a map with more than one room": {
    ...respond(`heatmap -g ember --out h.svg --map level.png ${MAP_BOUNDS}`, { body: twoRooms }),
    files: { "level.png": Buffer.from("\x89PNG\r\n\x1a\n", "latin1") },
  },
  "an address of another service": respond("games get ember", {
    status: 404,
    body: "<html>Not found</html>",
  }),
  "an address with the path of the API": {
    ...respond("games get ember", status(404, "Not found")),
    env: { PLAYTEST_BASE_URL: "http://127.0.0.1:4400/api/v1", PLAYTEST_KEY: "k" },
  },
  "a bug": respond("games list", new TypeError("x is not a function")),
  "login with a key of the wrong kind": {
    ...respond("login", status(403, "Forbidden")),
    env: keyless,
    stdin: "pt_ik_1",
  },
  "login with an unknown key": {
    ...respond("login", status(401, "Invalid key")),
    env: keyless,
    stdin: "pt_mgmt_1",
  },
  "a failed comparison": respond("builds compare 1 2 -g ember --fail-on introduced", compareWith(20)),
  "a row that neither build has": respond("explain quit:pit 1 2 -g ember", compareWith(20)),
  "an inconclusive comparison": respond("builds compare 1 2 -g ember --fail-on introduced", compareWith(0)),
};

/** Errors in command lines. */
const usageErrors: Readonly<Record<string, ErrorCase>> = {
  "no command": { line: "--json" },
  "an unknown command": { line: "sesions list" },
  "a group without a subcommand": { line: "sessions" },
  "an unknown flag": { line: "sessions list --limt 5" },
  "a missing argument": { line: "sessions get" },
  "too many arguments": { line: "sessions list extra" },
  "an unknown help topic": { line: "help exit-code" },
  "a flag value that is not allowed": { line: "sessions list --status done" },
  "a number out of range": { line: "events -g ember --top 51" },
  "an invalid time": { line: "sessions list --from yesterday" },
  "an admin command with a base URL": { line: "admin games list --base-url http://127.0.0.1:4400" },
  "an invalid expiry": { line: "admin batches create Alpha -g ember --expires tomorrow" },
  "an invalid duration": { line: "games list --timeout 30" },
  "an unknown assistant": { line: "mcp install emacs" },
  "a key for a shared file": { line: "mcp install claude-code --with-key --print" },
  "assistant settings that are not JSON": {
    line: "mcp install cursor --yes",
    files: { ".cursor/mcp.json": '{ // "hush"' },
  },
  "assistant settings that are a folder": {
    line: "mcp install cursor --yes",
    files: { ".cursor/mcp.json/x": "" },
  },
  "an assistant folder that is a broken link": {
    line: "mcp install cursor --yes",
    links: { ".cursor": "/nowhere/at/all" },
  },
  "an unknown dataset": { line: "export event -g ember --out x" },
  "an export of several datasets into one file": { line: "export events sessions -g ember --out x.csv" },
  "an export of rows with --json": { line: "export events -g ember --json" },
  "an export to an unknown file type": { line: "export events -g ember --out x.json" },
  "an incremental export without a folder": { line: "export events -g ember --since-last" },
  "an invalid age": { line: "export events -g ember --out x --since-last --lookback 2" },
  "an invalid time zone": { line: "games list --tz Mars" },
  "a value that the contract rejects": { line: "sessions list --env Prod" },
  "a range that ends before it starts": { line: "sessions list --from 1d --to 2d" },
  "a name that is a relative path": { line: "games get .." },
  "no game": { line: "events" },
  "conflicting formats": { line: "games list --json --format csv" },
  "--jq with a table format": {
    line: "games list --jq . --format csv",
    replies: [{ body: responseBodies.listGames }],
  },
  "an invalid jq expression": { line: "games list --jq .[", replies: [{ body: responseBodies.listGames }] },
  "an endless jq expression": {
    line: ["games", "list", "--jq", "def f: f; f", "--timeout", "100ms"],
    replies: [{ body: responseBodies.listGames }],
  },
  "a jq expression that needs too much memory": {
    line: ["games", "list", "--jq", '"a" * 1000000000'],
    replies: [{ body: responseBodies.listGames }],
  },
  "both --limit and --all": { line: "sessions list --limit 5 --all" },
  "a stream with --jq": { line: "telemetry tail --jq .kind" },
  "a stream as CSV": { line: "telemetry tail --format csv" },
  "an invalid expectation": { line: "telemetry expect >=1 -g ember" },
  "a metric of some sessions": { line: "telemetry expect memory<700 -g ember --since 1h" },
  "a metric of a service without facts": {
    ...respond("telemetry expect memory<700 -g ember --build 1", ({ url }) => ({
      body: url.includes("/events/") ? responseBodies.getEvents : responseBodies.listGames,
    })),
  },
  "a room without a name": {
    line: ["admin", "event-config", "set-room", "", "-g", "ember", "--plane", "xz"],
  },
  "a room without settings": { line: "admin event-config set-room hall -g ember" },
  "floors that are no ranges": { line: "admin event-config set-room hall -g ember --floors 3" },
  "a floor without positions": respondOwn("heatmap -g ember --room attic --floor 2", {
    body: { ...heatmap, rooms: [], eventCount: 5, applied: { room: "attic", floor: 2 } },
  }),
  "a plan that does not exist": { line: "telemetry lint plan.json play.ndjson" },
  "a plan that is not JSON": { line: "telemetry lint plan.json play.ndjson", files: { "plan.json": "{" } },
  "events that violate the plan": {
    line: "telemetry lint plan.json play.ndjson",
    files: {
      "plan.json": '{"events":{}}',
      "play.ndjson": '{"id":"1","name":"jump","timestamp":1772000000000}',
    },
  },
  "both --limit and --all of events": { line: "sessions events sess_1 --limit 5 --all" },
  "both --sessions and --all": { line: "builds list -g ember --sessions 5 --all" },
  "both --all and a --limit of builds": { line: "builds list -g ember --limit 5 --all" },
  "a rise of a row that cannot rise": { line: "builds blame completion:pit -g ember" },
  "a word that nothing is called": { line: "explain ruled-over" },
  "a trend of a tag and a metric": { line: "builds trend -g ember --tag x:y --metric engagement" },
  "a funnel by build and by variant": { line: "funnel begin -g ember --by build --experiment exp_1" },
  "suggestions for all environments": { line: "builds suggestions 1 -g ember --env all" },
  "a URL instead of a path": { line: "api https://evil.test/" },
  "a field without a value": { line: "api games -f game" },
  "no channel": { line: "ingest discord -g ember" },
  "a chart in a file that is not SVG": { line: "experiments compare exp_1 --out chart.png" },
  "a chart without a time axis": { line: "events -g ember --out chart.svg" },
  "events over too many hours": { line: "events -g ember --by hour --from 2026-01-01 --to 2026-02-01" },
  "a chart that cannot be written": {
    line: "experiments compare exp_1 --out a/chart.svg",
    files: { a: "" },
    replies: [{ body: responseBodies.getExperimentComparison }],
  },
  "a report of a saved baseline": { line: "report @base.json 0.9.0 -g ember" },
  "a report in an unsupported file type": { line: "report 1 2 -g ember --out report.pdf" },
  "a report with conflicting format and file name": {
    line: "report 1 2 -g ember --format md --out report.html",
  },
  "a gate that compares a build with itself": { line: "gate 0.9.0 0.9.0 -g ember" },
  "a gate of a saved baseline": { line: "gate 0.8.0 @base.json -g ember" },
  "two gate reports in one file": { line: "gate 1 2 -g ember --report md=a --report json=./a" },
  "an unknown shell": { line: "completion tcsh" },
  "an empty key": { line: "login", env: keyless, stdin: " \n" },
  "a key with a space": { line: "login", env: keyless, stdin: "pt_mgmt a" },
  "an unknown setting": { line: "config get colour" },
  "a setting without a value": { line: ["config", "set", "game", ""] },
  "a setting with an invalid duration": { line: "config set timeout soon" },
  "a setting with an invalid format": { line: "config set format yaml" },
  "a setting with an invalid time zone": { line: "config set tz Mars" },
  "a host that is reachable from other machines": { line: "server start --host 0.0.0.0" },
  "a retention of less than a day": { line: "server start --keep-events 90m" },
  "a log level without JSON logs": { line: "server start --log-level debug" },
  "a proxy that signs people in to a console that is off": {
    line: "server start --no-console --trust-identity-header X-User --trusted-proxy 10.0.0.5",
  },
  "a header that everybody sends instead of a name": {
    line: "server start --trust-identity-header Host --trusted-proxy 10.0.0.5",
  },
  "a proxy that signs people in, without its header": { line: "server start --trusted-proxy 10.0.0.5" },
  "a header of a proxy with spaces": {
    line: ["server", "start", "--trust-identity-header", "X User", "--trusted-proxy", "10.0.0.5"],
  },
  "a proxy that is not an address": {
    line: "server start --trust-identity-header X-User --trusted-proxy proxy.internal",
  },
  "demo data for a database with another game of the same slug": {
    first: "admin games create ember",
    line: "server seed",
  },
  "an unsupported database URL": { line: "server start --database mysql://me:hush@db/play" },
  "deleting a Postgres database": {
    line: "server reset --yes --database postgres://me:hush@db/play",
  },
  "deleting an in-memory database": { line: "server reset --yes --database :memory:" },
  "an export without a game": {
    line: "export events --out x",
    env: { PLAYTEST_BASE_URL: "http://127.0.0.1:4400", PLAYTEST_KEY: "k" },
  },
  "telemetry of a game that does not exist": {
    line: "ingest telemetry play.ndjson other.ndjson",
    files: { "play.ndjson": '{"gameId":"nope","events":[]}\n', "other.ndjson": "" },
    replies: [{ status: 404, body: { error: "Not found" } }],
  },
  "a chat thread of a game that does not exist": respond("ingest discord -g nope --channel 1", {
    status: 400,
    body: { error: "unknown game" },
  }),
  "a flag without its value": { line: "games list --profile" },
  "a program that does not exist": { line: "server exec --database :memory: -- nosuchprogram" },
};

/** Errors in settings and files. */
const settingsErrors: Readonly<Record<string, ErrorCase>> = {
  "no service": { line: "games list", env: {} },
  "no key": { line: "games list", env: keyless },
  "no ingest key": { line: "experiments assign d -g ember", env: keyless },
  "a key for another URL": {
    line: "games list --base-url https://other.test",
    config: profile({ keys: { management: { key: "k", baseUrl: "https://studio.test" } } }),
  },
  "a key that cannot be sent in a header": {
    line: "games list",
    env: { PLAYTEST_BASE_URL: "https://studio.test", PLAYTEST_KEY: "pt_mgmt_1 2" },
  },
  "an unknown profile": { line: "games list --profile nosuch", env: {} },
  "logout with an unknown profile": { line: "logout --profile nosuch" },
  "an invalid base URL": base("nowhere"),
  "a base URL with an unsupported protocol": base("ftp://studio.test"),
  "a base URL with a password": base("https://me:hush@studio.test"),
  "a base URL with a query": base("https://studio.test/?x=1"),
  "a base URL without encryption": base("http://studio.test"),
  "an invalid proxy": {
    line: "games list",
    env: { PLAYTEST_BASE_URL: "https://studio.test", PLAYTEST_KEY: "k", HTTPS_PROXY: "me:hush@proxy:x" },
    sockets: true,
  },
  "a config file that is not JSON": { line: "games list", config: "{" },
  "an invalid value in a profile": { line: "games list", config: profile({ timeout: "soon" }) },
  "a config file that is a folder": {
    line: "games list",
    env: {},
    files: { "config/config.json/x": "" },
  },
  "a config folder that is a file": { line: "config set game ember", env: {}, files: { config: "" } },
  "a config folder that is a broken link": {
    line: "config set game ember",
    env: {},
    links: { config: "/nowhere/at/all" },
  },
  "a repository file that is not JSON": { line: "events", files: repository("{") },
  "a repository file that is not an object": { line: "events", files: repository("[]") },
  "a repository file that sets the service": {
    line: "events",
    files: repository('{"baseUrl":"https://x"}'),
  },
  "a repository file with an invalid game": { line: "events", files: repository('{"game":1}') },
  "a gate limit without a bound": {
    line: "gate 1 2 -g ember",
    files: repository('{"gate":{"limits":{"engagementRate":{}}}}'),
  },
  "a number of tags to plan for, with builds": { line: "gate plan 0.8.0 0.9.0 -g ember --tags 5" },
  "planned testers without repeated runs": { line: "gate 0.8.0 0.9.0 -g ember --planned-testers 40" },
  "a rules file that does not exist": { line: "gate 1 2 -g ember --config nosuch.json" },
  "a game that was played only in other environments": {
    line: "gate 0.8.0 0.9.0 -g ember",
    replies: [
      { body: createPage([]) },
      {
        body: createPage([
          { ...SESSION, environment: "staging" },
          { ...SESSION, environment: "lab" },
        ]),
      },
    ],
  },
  "a game whose registered builds nobody played": {
    line: "builds get latest -g ember",
    replies: [
      announcing("listBuilds"),
      { body: { ...registeredBuilds, items: [], total: 0, unregistered: 1 } },
    ],
  },
  "an empty command of scripted runs": {
    line: ["gate", "run", "--temporary", "--game", "ember", "--build-version", "1", "--", ""],
  },
  "a temporary service for the ID of a game": {
    line: "gate run --temporary --game game_1 --build-version 1 -- ./Game",
  },
  "the state of repeated gate runs with other rules": {
    line: "gate 0.8.0 0.9.0 -g ember --sequential state.json",
    replies: [
      { body: responseBodies.listSessions },
      announcing("getScorecard"),
      { body: responseBodies.getScorecard },
    ],
    files: { "state.json": JSON.stringify(repeatedRuns) },
  },
  "a file that is not a baseline": {
    line: "gate @base.json 2 -g ember",
    files: { "base.json": '{"name":"package"}' },
  },
  "a baseline that is not JSON": {
    line: "gate @base.json 2 -g ember",
    files: { "base.json": '{"key" hush' },
  },
  "a baseline of an earlier version": {
    line: "gate @base.json 2 -g ember",
    files: {
      "base.json": JSON.stringify({
        ...{ playtestBaseline: 1, game: "ember", environment: "production", savedAt: "2026-01-01" },
        ...{ version: "1", testers: 2, sessions: 2, stats: null },
        byTag: [{ tag: "confusion", testers: 2, insights: 3 }],
      }),
    },
  },
  "a baseline with impossible counts": {
    line: "gate @base.json 2 -g ember",
    files: {
      "base.json": JSON.stringify({
        ...{ playtestBaseline: 3, game: "ember", environment: "production", savedAt: "2026-01-01" },
        ...{ version: "1", testers: 2, analysisVersions: [3], anonymousSessions: 0, labels: {}, facts: [] },
        sessions: { open: 0, analyzed: -1, unanalyzed: 0, failed: 0 },
      }),
    },
  },
  "a telemetry file that does not exist": { line: "ingest telemetry nosuch.ndjson" },
  "no map for a CSV file": { line: "ingest csv x.csv" },
  "a map that does not exist": { line: "ingest csv x.csv --map opengamdata" },
  "a map that is not JSON": { line: "ingest csv x.csv --map m.json", files: { "m.json": "{" } },
  "a map with an unknown field": {
    line: "ingest csv x.csv --map m.json",
    files: { "m.json": '{"sesion": "s"}' },
  },
  "an incomplete map": {
    line: "ingest csv x.csv --map m.json",
    files: { "m.json": '{"event": "e", "time": {"column": "t", "format": "iso"}}' },
  },
  "a CSV file without a column of the map": {
    line: "ingest csv x.csv --map opengamedata",
    files: { "x.csv": "sessionid,user_id,timestamp,event_name,event_data,app_version,game_state\n" },
  },
  "a CSV file with two columns of the same name": {
    line: "ingest csv x.csv --map m.json",
    files: {
      "x.csv": "s,n,t,s\n",
      "m.json": '{"session": "s", "event": "n", "time": {"column": "t", "format": "iso"}}',
    },
  },
  "a CSV file with CR line ends": {
    line: "ingest csv x.csv --map playfab",
    files: { "x.csv": "a,b\r1,2\r" },
  },
  "a CSV file in UTF-16": {
    line: "ingest csv x.csv --map playfab",
    files: { "x.csv": Buffer.from("\ufeffa,b\n", "utf16le") },
  },
  "a CSV file without a header": { line: "ingest csv x.csv --map playfab", files: { "x.csv": "\n" } },
  "a telemetry file that is not JSON": {
    line: "ingest telemetry play.ndjson",
    files: { "play.ndjson": "no\n" },
  },
  "a truncated telemetry file": {
    line: "ingest telemetry play.ndjson.gz",
    files: { "play.ndjson.gz": gzipSync("\n\n").subarray(0, 12) },
  },
  "a file that is not a database": {
    line: "admin games list --database play.db",
    files: { "play.db": "this is no database, however long it may be" },
  },
  "deleting a file that is not a database": {
    line: "server reset --yes --database notes.txt",
    files: { "notes.txt": "mine" },
  },
  "a full disk": { line: "config path", options: { outFault: writeError("ENOSPC") } },
  "a file on a full disk": {
    line: "config path",
    options: { outFault: Object.assign(writeError("ENOSPC"), { path: "out/events.ndjson" }) },
  },
  "a file at the size limit": { line: "config path", options: { outFault: writeError("EFBIG") } },
  "an output that cannot be written": { line: "config path", options: { outFault: writeError("EACCES") } },
  "the doctor without a service": { line: "doctor", env: {} },
};

const BATCH = "admin batches create Alpha -g ember --json";
const RECORDING = "admin sessions add -g ember --source obs --json";

/** Errors of administrative commands. */
const adminErrors: Readonly<Record<string, ErrorCase>> = {
  "an account without a name": { line: ["admin", "accounts", "create", ""] },
  "an account that does not exist": { line: "admin games list --account nosuch" },
  "a game without a name": { line: ["admin", "games", "rename", "ember", ""] },
  "a game to rename that does not exist": { line: "admin games rename nosuch New" },
  "a batch that has already expired": { line: "admin batches create A -g ember --expires 2020-01-31" },
  "a batch that does not exist": { line: "admin batches add-keys ptb_x -g ember --generate 1" },
  "no keys for a batch": { line: "admin batches add-keys ptb_x -g ember" },
  "a file that does not exist": { line: "admin batches add-keys ptb_x -g ember --file nosuch.txt" },
  "a file that is not text": {
    line: "admin batches add-keys ptb_x -g ember --file keys.txt",
    files: { "keys.txt": new Uint8Array([0xff, 0]) },
  },
  "a file without a key": {
    line: "admin batches add-keys ptb_x -g ember --file keys.txt",
    files: { "keys.txt": "\n" },
  },
  "an invalid email address": { line: "admin batches invite ptb_x nobody -g ember" },
  "an audience in an invalid country": {
    line: "admin audiences create europe -g ember --country DE --country DEU",
  },
  "an invalid country": { line: "admin batches redeem ptb_x -g ember --country Germany" },
  "a quarantine of nothing": { line: "admin quarantine -g ember" },
  "a release of nothing": { line: "admin quarantine release -g ember" },
  "a quarantine that does not exist": { line: "admin quarantine release qua_nosuch -g ember --yes" },
  "a quarantine by the address of an unknown session": {
    line: "admin quarantine --address-of sess_nosuch -g ember --yes",
  },
  "a quarantine by the address of a session without one": {
    first: "admin sessions add --game ember --source obs --json",
    line: "admin quarantine --address-of ID -g ember --yes",
  },
  "an unknown budget": { line: "admin budgets set nosuch 1 -g ember" },
  "an invalid limit of a budget": { line: "admin budgets set events many -g ember" },
  "a key for a budget of the account": { line: "admin budgets set model-calls 1 --key k1" },
  "a key without budgets": { line: "admin budgets set events 1 --key nosuch -g ember" },
  "a version that no game can send": { line: "admin builds register unknown -g ember" },
  "a build to hide that does not exist": { line: "admin builds hide nosuch -g ember" },
  "an invalid event name": { line: ["admin", "event-config", "set", "x".repeat(121), "-g", "ember"] },
  "an invalid variant": { line: "admin experiments create X -g ember --variant a=b --variant c" },
  "an invalid allocation": { line: "admin experiments allocate exp_1 a=b" },
  "an invalid config value": { line: "admin experiments configure exp_1 speed=3" },
  "an invalid margin": { line: "admin experiments margin exp_1 101" },
  "an audience that does not exist": {
    line: "admin experiments create X -g ember --variant a --variant b --audience aud_1",
  },
  "allocations for only some variants": {
    line: "admin experiments create X -g ember --variant a=50 --variant c",
  },
  "an invalid question": { line: "admin forms create X -g ember --field fun" },
  "a form that does not exist": { line: "admin forms set ff_x -g ember --active on" },
  "an experiment that does not exist": { line: "admin experiments start nosuch" },
  "a handle that does not exist": { line: "admin handles claim-token nosuch -g ember" },
  "a handle with a space that does not exist": {
    line: ["admin", "handles", "claim-token", "no such", "-g", "ember"],
  },
  "a model without a URL": { line: "admin providers set --model m" },
  "a model without an id": { line: "admin providers set --url https://example.com/v1" },
  "a model of the built-in provider": { line: "admin providers set --url builtin:words --model gpt-5" },
  "a model with an invalid URL": { line: "admin providers set --model m --url nowhere" },
  "a model with a forbidden address": {
    line: "admin providers set --model m --url http://169.254.169.254/",
  },
  "a model over unencrypted HTTP": { line: "admin providers set --model m --url http://api.test/v1" },
  "a model without a key": { line: "admin providers set --model m --url https://api.test/v1", stdin: "" },
  "a model timeout that is too long": {
    line: "admin providers set --model m --url https://api.test --deadline 2h",
  },
  "an unknown kind of model": { line: "admin providers remove voice" },
  "a model that is not configured": { line: "admin providers remove chat" },
  "a management key without a name": { line: "admin keys create --kind management" },
  "a management key with a game": { line: "admin keys create --kind management --name ci --game ember" },
  "a management key with an environment": {
    line: "admin keys create --kind management --name ci --environment staging",
  },
  "a CI key with an environment": { line: "admin keys create --kind ci --environment staging" },
  "a key name that is too long": { line: `admin keys create --name ${"x".repeat(121)}` },
  "an environment of a key that is not a slug": { line: "admin keys create --environment all" },
  "a key that would already have expired": { line: "admin keys create --expires 2020-01-01" },
  "a key for two games": { line: "admin keys create --game ember --bind tide" },
  "a key that cannot be found": { line: "admin keys revoke 0123456789ab --yes" },
  "a replay without a time": { line: "admin webhooks replay whk_0123" },
  "a gate to close that does not exist": { line: "admin gates close gate_0123" },
  "a webhook without events": { line: "admin webhooks add https://example.com" },
  "statuses of commits of other events": {
    line: "admin webhooks add https://api.github.com/repos/o/r --format github-status --on bug-report",
  },
  "statuses of commits of no repository": {
    line: "admin webhooks add https://example.com --format github-status",
  },
  "statuses of commits without a key": {
    line: "admin webhooks add https://api.github.com/repos/o/r --format github-status",
  },
  "statuses of commits with an invalid key": {
    line: "admin webhooks add https://api.github.com/repos/o/r --format github-status",
    env: { PLAYTEST_TOKEN_KEY: "abc" },
  },
  "statuses of commits with a key file that does not exist": {
    line: "admin webhooks add https://api.github.com/repos/o/r --format github-status",
    env: { PLAYTEST_TOKEN_KEY_FILE: "nosuch" },
  },
  "a webhook with an invalid name": {
    line: "admin webhooks add https://example.com --on bug-report --name whk_1",
  },
  "a webhook whose token has another key": {
    first: "admin webhooks add https://api.github.com/repos/o/r --format github-status",
    firstEnv: { PLAYTEST_TOKEN_KEY: "1".repeat(64), PLAYTEST_WEBHOOK_TOKEN: "t" },
    line: "admin webhooks test ID",
    env: { PLAYTEST_TOKEN_KEY: "2".repeat(64) },
  },
  "a webhook with an invalid URL": { line: "admin webhooks add nowhere --on bug-report" },
  "a webhook with a forbidden address": {
    line: "admin webhooks add http://169.254.169.254/ --on bug-report",
  },
  "a webhook over unencrypted HTTP": { line: "admin webhooks add http://example.com/x --on bug-report" },
  "a webhook that does not exist": { line: "admin webhooks remove whk_none" },
  "a webhook that cannot be reached": {
    first: "admin webhooks add http://127.0.0.1:1/hook --on bug-report",
    line: "admin webhooks test ID",
  },
  "a notification with an invalid secret": {
    line: "report 1 2 -g ember --notify https://example.com",
    env: { PLAYTEST_BASE_URL: "http://127.0.0.1:4400", PLAYTEST_KEY: "k", PLAYTEST_NOTIFY_SECRET: "x" },
  },
  "a destructive command without a terminal": { first: "admin keys rotate", line: "admin keys rotate" },
  "a session with a transcript and notes": { line: "admin sessions add -g ember --notes x --transcript y" },
  "a transcript that does not exist": { line: "admin sessions add -g ember --transcript nosuch.txt" },
  "a transcript that is empty": { line: "admin sessions add -g ember --transcript -", stdin: " " },
  "a transcript that is not text": {
    line: "admin sessions add -g ember --transcript -",
    stdin: new Uint8Array([0xff]),
  },
  "a session that does not exist": { line: "admin sessions retry sess_x" },
  "a receipt of a dry run": { line: "admin testers erase wren --dry-run --receipt wren.json" },
  "an export of a tester without a file": { line: "admin testers export wren" },
  "too many keys": {
    line: "admin batches add-keys ID -g ember --file keys.txt",
    first: BATCH,
    files: { "keys.txt": Array.from({ length: 20_001 }, (_, at) => `KEY-${at}\n`).join("") },
  },
  "an invite that does not exist": { line: "admin batches open-invite ID tvi_x -g ember", first: BATCH },
  "an invite to redeem that does not exist": {
    line: "admin batches redeem ID -g ember --invite tvi_x",
    first: BATCH,
  },
  "a key and an invite": { line: "admin batches redeem ID -g ember --invite tvi_x --key k", first: BATCH },
  "a batch without available keys": { line: "admin batches redeem ID -g ember", first: BATCH },
  "a playtest key that does not exist": { line: "admin handles create wren -g ember --key ptk_x" },
  "a title that is too long": {
    line: ["admin", "sessions", "add", "-g", "ember", "--notes", "x", "--title", "x".repeat(5000)],
  },
  "a transcript with NUL": { line: "admin sessions add -g ember --transcript -", stdin: "a\0b" },
  "a transcript that is too large": {
    line: "admin sessions add -g ember --transcript -",
    stdin: "x".repeat(4 * 1024 * 1024 + 1),
  },
  "a recording that did not fail": { line: "admin sessions retry ID", first: RECORDING },
  "a session that did not fail": {
    line: "admin sessions retry ID",
    first: "admin sessions add -g ember --notes x --json",
  },
  "summaries of a build that does not exist": { line: "admin summaries generate -g ember --build 9.9" },
  "summaries without a selection": { line: "admin summaries generate -g ember" },
  "summaries for all environments": { line: "admin summaries generate -g ember --all --env all" },
};

/** Heatmap images that are rejected before any request. */
const heatmapImages: Readonly<Record<string, ErrorCase>> = {
  "--top without --cells": { line: "heatmap -g ember --top 5" },
  "a difference without its second build": { line: "heatmap -g ember --diff 0.8.0" },
  "a difference with marks": { line: "heatmap -g ember --build 0.9.0 --diff 0.8.0 --marks deaths" },
  "unknown marks": { line: "heatmap -g ember --marks jumps" },
  "a scale without a PNG": { line: "heatmap -g ember --scale 2" },
  "an image with an unknown file extension": { line: "heatmap -g ember --out h.gif" },
  "an image file that is a folder": { line: "heatmap -g ember --out h.svg/" },
  "a list of cells in an image file": { line: "heatmap -g ember --cells --out h.svg" },
  "a map without its bounds": { line: "heatmap -g ember --out h.svg --map level.png" },
  "a map without an image file": { line: `heatmap -g ember --map level.png ${MAP_BOUNDS}` },
  "empty map bounds": {
    line: "heatmap -g ember --out h.svg --map level.png --map-bounds 0,0,0,1",
  },
  "an origin without a point": { line: "heatmap -g ember --origin furnace" },
  "a map that is not an image": {
    line: `heatmap -g ember --out h.svg --map level.png ${MAP_BOUNDS}`,
    files: { "level.png": "<svg/>" },
  },
};

const headerWith = (names: readonly string[]) =>
  JSON.stringify({ "playtest-database": 1, migrations: names, createdAt: "2026-03-01T12:00:00.000Z" });
const header = headerWith(Object.keys(migrations));
const archiveCase = (line: string, text = `${header}\n`): ErrorCase => ({
  line,
  files: { "a.gz": gzipSync(text) },
});

/** Export and import of a whole database. */
const archives: Readonly<Record<string, ErrorCase>> = {
  "a database without an account": { line: "server export a.gz --database new.db", files: { "new.db": "" } },
  "a database to export that does not exist": { line: "server export a.gz --database new.db" },
  "a database to change that does not exist": { line: "admin batches create A -g ember --database new.db" },
  "a database to list that does not exist": { line: "admin games list --database new.db" },
  "an archive that already exists": {
    first: "admin games create ember --database new.db",
    line: "server export a.gz --database new.db",
    files: { "a.gz": "" },
  },
  "an archive that is a folder": {
    first: "admin games create ember --database new.db",
    line: "server export a/ --database new.db",
    files: { "a/x": "" },
  },
  "an archive at a terminal": { line: "server export -", options: { tty: true } },
  "a truncated archive": archiveCase("server import a.gz"),
  "a truncated gzip archive": {
    line: "server import a.gz",
    files: { "a.gz": gzipSync(`${header}\n${"x".repeat(999)}`).subarray(0, -9) },
  },
  "a modified archive": archiveCase("server import a.gz", `${header}\n{}\n`),
  "an archive of another format": archiveCase("server import a.gz", '{"playtest-database":9}\n'),
  "erasures of a telemetry import": {
    line: "server import play.ndjson --erasures-from play.ndjson",
    files: { "play.ndjson": "{}\n" },
  },
  "erasures that are not an archive": {
    line: "server import a.gz --erasures-from play.ndjson",
    files: { "play.ndjson": "{}\n", "a.gz": gzipSync(`${header}\n`) },
  },
  "an archive of a newer version": archiveCase("server import a.gz", headerWith(["999-play"])),
  "an archive with an incomplete header": archiveCase("server import a.gz", headerWith([])),
  "an archive for a database that is not empty": {
    ...archiveCase("server import a.gz"),
    first: "admin games create ember",
  },
  "a backup without a folder": { line: "server backup" },
  "a backup of an in-memory database": { line: "server backup --database :memory: --out backups" },
  "a check of an in-memory database": { line: "server check --database :memory:" },
  "a check of a Postgres database": { line: "server check --database postgres://me@127.0.0.1:1/play" },
  "an export of what can be read of Postgres": {
    line: "server export a.gz --skip-damaged --database postgres://me@127.0.0.1:1/play",
  },
  "regular backups of an in-memory database": {
    line: "server start --database :memory: --backup-to backups",
  },
  "regular backups that are too frequent": {
    line: "server start --database play.db --backup-to backups --backup-every 5m",
  },
  "a restore with and without erasures": {
    line: "server restore a.gz --database new.db --erasures-from b.gz --without-erasures",
  },
  "a restore that would bring erased testers back": {
    line: "server restore a.gz --database postgres://me@127.0.0.1:1/play",
    files: { "a.gz": gzipSync(`${header}\n`) },
  },
  "a restore to an in-memory database": { line: "server restore a.gz --database :memory:" },
  "a folder for backups that is a file": {
    line: "server backup --database studio.db --out notes.txt",
    files: { "notes.txt": "no folder\n", "studio.db": "" },
  },
  "a folder without backups": { line: "server restore . --database new.db" },
  "a backup that is a text": {
    line: "server restore notes.txt --database new.db",
    files: { "notes.txt": "no backup\n" },
  },
  "a database file for Postgres": {
    line: "server restore play.db --database postgres://me@127.0.0.1:1/play",
    files: { "play.db": "SQLite format 3\0" },
  },
  "a backup that differs from its manifest": {
    line: "server restore play.db --database new.db",
    files: {
      "play.db": "SQLite format 3\0",
      "play.db.json": JSON.stringify({
        ...{ backup: "play.db", database: "/data/play.db", createdAt: "2026-03-01T12:00:00.000Z" },
        ...{ version: "0.1.0", bytes: 16, sha256: "0".repeat(64), rows: 1 },
      }),
    },
  },
  "an archive among telemetry files": archiveCase("server import a.gz a.gz"),
  "an archive with flags for telemetry": archiveCase("server import a.gz --create-games"),
};

export const errorCases: Readonly<Record<string, ErrorCase>> = {
  ...responses,
  ...usageErrors,
  ...settingsErrors,
  ...adminErrors,
  ...heatmapImages,
  ...archives,
};

/** Creates the files of a case in its folder. */
export function createFiles(home: string, { files = {}, links = {}, config }: ErrorCase): void {
  const all: Record<string, string | Uint8Array> = { ...files };
  if (config !== undefined)
    all["config/config.json"] = typeof config === "string" ? config : JSON.stringify(config);
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(join(home, name, ".."), { recursive: true });
    writeFileSync(join(home, name), content);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(home, name));
}

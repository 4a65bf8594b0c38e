/** How each error that a person can meet is met: a command line, and what stands around it. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { ClientError } from "../../src/client/errors.ts";
import { migrations } from "../../src/server/db/migrations/index.ts";
import { answers, SESSION } from "../client/response-fixtures.ts";
import { type Given, limited, type Reply } from "../client/script.ts";
import type { CliOptions } from "../harness.ts";

export interface Scene {
  /** The command line; an array where a word holds a space. */
  readonly line: string | readonly string[];
  /** A line before it: the id of the batch or session that it makes stands for `ID` in the line. */
  readonly first?: string;
  /** What the service answers, one after the other; without any, nothing may be sent. */
  readonly replies?: readonly Reply[];
  /** Sends over sockets instead. */
  readonly sockets?: true;
  /** The config file; with one, or with `env`, the environment names no service. */
  readonly config?: ConfigFile | string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Links by their name, with what they point to. */
  readonly links?: Readonly<Record<string, string>>;
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  readonly options?: Partial<CliOptions>;
}

const compared = answers.compareBuilds as { readonly buildA: object };
const keyless = { PLAYTEST_BASE_URL: "https://studio.test" };

const status = (code: number, error: string, more: object = {}): Given => ({
  status: code,
  body: { error, ...more },
  headers: { "x-request-id": "req-1" },
});
const at = (line: string, ...replies: Reply[]): Scene => ({ line, replies });
const profile = (settings: object): ConfigFile => ({ profiles: { default: settings } });
const repository = (content: string): Record<string, string> => ({ "playtest.config.json": content });
const base = (url: string): Scene => ({
  line: "games list",
  env: { PLAYTEST_BASE_URL: url, PLAYTEST_KEY: "k" },
});
const gone = (code: string) => Object.assign(new Error(`write ${code}`), { code });
const noBuilds: Given = { body: { items: [], hasMore: false, total: 0 } };

const MAP_BOUNDS = "--map-bounds 0,0,1,1";
const heatmap = answers.getHeatmap as { readonly rooms: readonly object[] };
const twoRooms = { ...heatmap, rooms: [...heatmap.rooms, ...heatmap.rooms, ...heatmap.rooms].slice(0, 2) };

/** What an older service answers for any room: the 12 with the most positions, though there are more. */
const busiestRooms = {
  ...heatmap,
  rooms: Array.from({ length: 12 }, (_, at) => ({ ...heatmap.rooms[0], room: `room-${at}` })),
  eventCount: 1_000_000,
};

/** What the service, or the way to it, answers. */
const answered: Readonly<Record<string, Scene>> = {
  "a value that the service refuses": at(
    "games list",
    status(400, "Bad request", { issues: [{ path: ["limit"], code: "too_small", message: "at least 1" }] }),
  ),
  "a key it does not know": at("games list", status(401, "Invalid key")),
  "an ingest key it does not know": at("experiments assign dev_1 -g ember", status(401, "Invalid key")),
  "a model that is not paid for": at("builds suggestions 0.9.0 -g ember", status(402, "AI key required")),
  "the other kind of key": at("games list", status(403, "Forbidden", { requiredScope: "management" })),
  "a game that is not there": at("games get nosuch", status(404, "Not found")),
  "a build that is not there": at("builds get 9.9 -g ember", status(404, "Not found")),
  "two builds that are not there": at("builds compare 1 2 -g ember", status(404, "Not found")),
  "a path that is not there": at("api nosuch", status(404, "Not found")),
  "a method it does not take": at("games list", status(405, "Method not allowed")),
  "a conflict": at("games list", status(409, "Conflict")),
  "a body that is too large": at(
    "ingest discord --channel c -g ember",
    status(413, "Request body too large"),
  ),
  "a body of another kind": at("ingest discord --channel c -g ember", status(415, "Unsupported media type")),
  "another host name": at("games list", status(421, "Unknown host")),
  "another 4xx": at("games list", status(418, "I am a teapot")),
  "the rate limit": at("games list", limited(3_600_000)),
  "a fault in the service": at("games list", status(500, "Internal error")),
  "a 502 without a body of its own": at("games list", { status: 502, body: "<html>" }),
  "a service that stops": at("games list", status(503, "Unavailable")),
  "nothing that listens": { ...base("http://127.0.0.1:1"), sockets: true },
  "a deadline": at(
    "games list",
    new ClientError("timeout", "http://127.0.0.1:1 did not respond within 30 s"),
  ),
  "an answer without a field": at("games list", { body: { hello: "world" } }),
  "an answer that is no JSON": at("games list", { body: "<html>" }),
  "a redirect": at("games list", { status: 302, headers: { location: "https://login.test/" } }),
  "a list that ends too early": at("sessions list --all", { body: { items: [], hasMore: true, total: 5 } }),
  "a game without earlier builds": at("builds compare previous latest -g ember", {
    body: { items: [SESSION], hasMore: false, total: 1 },
  }),
  "a game without builds": at("builds get latest -g ember", noBuilds),
  "a game whose sessions name no build": at("builds get latest -g ember", {
    body: {
      items: [{ ...SESSION, metadata: { ...SESSION.metadata, gameVersion: "unknown" } }],
      hasMore: false,
      total: 1,
    },
  }),
  "a room without positions": at("heatmap -g ember --room attic", { body: answers.getHeatmap }),
  "a room that an older service does not look for": at("heatmap -g ember --room attic", {
    body: busiestRooms,
  }),
  "a map of more than one room": {
    ...at(`heatmap -g ember --out h.svg --map level.png ${MAP_BOUNDS}`, { body: twoRooms }),
    files: { "level.png": Buffer.from("\x89PNG\r\n\x1a\n", "latin1") },
  },
  "a bug": at("games list", new TypeError("x is not a function")),
  "a key given as the other kind": {
    ...at("login", status(403, "Forbidden")),
    env: keyless,
    stdin: "pt_ik_1",
  },
  "a key at login that is not known": {
    ...at("login", status(401, "Invalid key")),
    env: keyless,
    stdin: "pt_mgmt_1",
  },
  "a gate that fails": at("builds compare 1 2 -g ember --fail-on introduced", {
    body: answers.compareBuilds,
  }),
  "a gate that cannot tell": at("builds compare 1 2 -g ember --fail-on introduced", {
    body: { ...compared, buildA: { ...compared.buildA, testersInBatch: 0 } },
  }),
};

/** What is typed. */
const typed: Readonly<Record<string, Scene>> = {
  "no command": { line: "--json" },
  "a command that there is none of": { line: "sesions list" },
  "a group without its command": { line: "sessions" },
  "a flag that there is none of": { line: "sessions list --limt 5" },
  "a missing argument": { line: "sessions get" },
  "one argument too many": { line: "sessions list extra" },
  "a topic that there is none of": { line: "help exit-code" },
  "a flag's value that is not among those allowed": { line: "sessions list --status done" },
  "a number out of bounds": { line: "events -g ember --top 51" },
  "a time that is none": { line: "sessions list --from yesterday" },
  "a duration that is none": { line: "games list --timeout 30" },
  "an assistant that there is none of": { line: "mcp install emacs" },
  "a key for a file that a repository shares": { line: "mcp install claude-code --with-key --print" },
  "an assistant's settings that are no JSON": {
    line: "mcp install cursor --yes",
    files: { ".cursor/mcp.json": '{ // "hush"' },
  },
  "an assistant's settings that are a folder": {
    line: "mcp install cursor --yes",
    files: { ".cursor/mcp.json/x": "" },
  },
  "an assistant's folder that leads nowhere": {
    line: "mcp install cursor --yes",
    links: { ".cursor": "/nowhere/at/all" },
  },
  "a dataset that there is none of": { line: "export event -g ember --out x" },
  "an export of several datasets into one file": { line: "export events sessions -g ember --out x.csv" },
  "an export to a file of a kind that there is not": { line: "export events -g ember --out x.json" },
  "an export that goes on without a folder": { line: "export events -g ember --since-last" },
  "a length of time that is none": { line: "export events -g ember --out x --since-last --lookback 2" },
  "a zone that is none": { line: "games list --tz Mars" },
  "a value that the contract refuses": { line: "sessions list --env Prod" },
  "a range from after to": { line: "sessions list --from 1d --to 2d" },
  "a name that URLs take for a folder": { line: "games get .." },
  "no game": { line: "events" },
  "two formats": { line: "games list --json --format csv" },
  "jq on a table": { line: "games list --jq . --format csv", replies: [{ body: answers.listGames }] },
  "a jq expression that is none": { line: "games list --jq .[", replies: [{ body: answers.listGames }] },
  "both --limit and --all": { line: "sessions list --limit 5 --all" },
  "both --sessions and --all": { line: "builds list -g ember --sessions 5 --all" },
  "suggestions of every environment": { line: "builds suggestions 1 -g ember --env all" },
  "an address for a path": { line: "api https://evil.test/" },
  "a field without a value": { line: "api games -f game" },
  "no channel": { line: "ingest discord -g ember" },
  "a game where lines name theirs": { line: "ingest telemetry - -g ember" },
  "a chart in a file that is no SVG": { line: "experiments compare exp_1 --out chart.png" },
  "a chart of no time": { line: "events -g ember --out chart.svg" },
  "events of too many hours": { line: "events -g ember --by hour --from 2026-01-01 --to 2026-02-01" },
  "a chart that cannot be written": {
    line: "experiments compare exp_1 --out a/chart.svg",
    files: { a: "" },
    replies: [{ body: answers.getExperimentComparison }],
  },
  "a report of a saved baseline": { line: "report @base.json 0.9.0 -g ember" },
  "a report in a file of another kind": { line: "report 1 2 -g ember --out report.pdf" },
  "a report whose format and file differ": { line: "report 1 2 -g ember --format md --out report.html" },
  "a gate of a build against itself": { line: "gate 0.9.0 0.9.0 -g ember" },
  "a gate of a saved baseline": { line: "gate 0.8.0 @base.json -g ember" },
  "two reports of a gate in one file": { line: "gate 1 2 -g ember --report md=a --report json=./a" },
  "a shell that there is none of": { line: "completion tcsh" },
  "an empty key": { line: "login", env: keyless, stdin: " \n" },
  "a key with a space": { line: "login", env: keyless, stdin: "pt_mgmt a" },
  "a setting that there is none of": { line: "config get colour" },
  "a setting without a value": { line: ["config", "set", "game", ""] },
  "a setting's duration that is none": { line: "config set timeout soon" },
  "a setting's format that is none": { line: "config set format yaml" },
  "a setting's zone that is none": { line: "config set tz Mars" },
  "a host beyond this machine": { line: "server start --host 0.0.0.0" },
  "a log level without lines of JSON": { line: "server start --log-level debug" },
  "a database that is another address": { line: "server start --database mysql://me:hush@db/play" },
  "a database on a server that is to be removed": {
    line: "server reset --yes --database postgres://me:hush@db/play",
  },
  "a program that there is none of": { line: "server exec --database :memory: -- nosuchprogram" },
};

/** What is set, and which files there are. */
const set: Readonly<Record<string, Scene>> = {
  "no service": { line: "games list", env: {} },
  "no key": { line: "games list", env: keyless },
  "no ingest key": { line: "experiments assign d -g ember", env: keyless },
  "a key for another address": {
    line: "games list --base-url https://other.test",
    config: profile({ keys: { management: { key: "k", baseUrl: "https://studio.test" } } }),
  },
  "a key that no header can carry": {
    line: "games list",
    env: { PLAYTEST_BASE_URL: "https://studio.test", PLAYTEST_KEY: "pt_mgmt_1\n" },
  },
  "a profile that there is none of": { line: "games list --profile nosuch", env: {} },
  "logout of no profile": { line: "logout --profile nosuch" },
  "a base URL that is none": base("nowhere"),
  "a base URL of another kind": base("ftp://studio.test"),
  "a base URL with a password": base("https://me:hush@studio.test"),
  "a base URL with a query": base("https://studio.test/?x=1"),
  "a base URL without encryption": base("http://studio.test"),
  "a proxy that is none": {
    line: "games list",
    env: { PLAYTEST_BASE_URL: "https://studio.test", PLAYTEST_KEY: "k", HTTPS_PROXY: "me:hush@proxy:x" },
    sockets: true,
  },
  "a config file that is no JSON": { line: "games list", config: "{" },
  "a profile's value that cannot be": { line: "games list", config: profile({ timeout: "soon" }) },
  "a config file that is a folder": {
    line: "games list",
    env: {},
    files: { "config/config.json/x": "" },
  },
  "a config folder that is a file": { line: "config set game ember", env: {}, files: { config: "" } },
  "a config folder that leads nowhere": {
    line: "config set game ember",
    env: {},
    links: { config: "/nowhere/at/all" },
  },
  "a repository's file that is no JSON": { line: "events", files: repository("{") },
  "a repository's file that is no object": { line: "events", files: repository("[]") },
  "a repository's file that names a service": {
    line: "events",
    files: repository('{"baseUrl":"https://x"}'),
  },
  "a repository's file whose game is none": { line: "events", files: repository('{"game":1}') },
  "a limit of a gate without a bound": {
    line: "gate 1 2 -g ember",
    files: repository('{"gate":{"limits":{"engagementRate":{}}}}'),
  },
  "a baseline that is no JSON": { line: "gate @base.json 2 -g ember", files: { "base.json": '{"key" hush' } },
  "a baseline whose counts cannot be": {
    line: "gate @base.json 2 -g ember",
    files: {
      "base.json": JSON.stringify({
        ...{ playtestBaseline: 1, game: "ember", environment: "production", savedAt: "2026-01-01" },
        ...{ version: "1", testers: 2, sessions: 2, stats: null },
        byTag: [{ tag: "confusion", testers: 3, insights: 3 }],
      }),
    },
  },
  "a file of play that is not there": { line: "ingest telemetry nosuch.ndjson" },
  "a file of play that is no JSON": {
    line: "ingest telemetry play.ndjson",
    files: { "play.ndjson": "no\n" },
  },
  "a file of play that breaks off": {
    line: "ingest telemetry play.ndjson.gz",
    files: { "play.ndjson.gz": gzipSync("\n\n").subarray(0, 12) },
  },
  "a database that is none": {
    line: "admin games list --database play.db",
    files: { "play.db": "this is no database, however long it may be" },
  },
  "a database that may not be removed": {
    line: "server reset --yes --database notes.txt",
    files: { "notes.txt": "mine" },
  },
  "a full disk": { line: "config path", options: { outFault: gone("ENOSPC") } },
  "a file that may not grow": { line: "config path", options: { outFault: gone("EFBIG") } },
  "an answer that cannot be written": { line: "config path", options: { outFault: gone("EACCES") } },
  "the doctor without a service": { line: "doctor", env: {} },
};

const BATCH = "admin batches create Alpha -g ember --json";
const RECORDING = "admin sessions add -g ember --source obs --json";

/** What is done to the local service. */
const local: Readonly<Record<string, Scene>> = {
  "an account without a name": { line: ["admin", "accounts", "create", ""] },
  "an account that is not there": { line: "admin games list --account nosuch" },
  "a game without a name": { line: ["admin", "games", "rename", "ember", ""] },
  "a game to rename that is not there": { line: "admin games rename nosuch New" },
  "a batch that is not there": { line: "admin batches add-keys ptb_x -g ember --generate 1" },
  "no keys for a batch": { line: "admin batches add-keys ptb_x -g ember" },
  "a file that is not there": { line: "admin batches add-keys ptb_x -g ember --file nosuch.txt" },
  "a file that is no text": {
    line: "admin batches add-keys ptb_x -g ember --file keys.txt",
    files: { "keys.txt": new Uint8Array([0xff, 0]) },
  },
  "a file without a key": {
    line: "admin batches add-keys ptb_x -g ember --file keys.txt",
    files: { "keys.txt": "\n" },
  },
  "a mail address that is none": { line: "admin batches invite ptb_x nobody -g ember" },
  "a country that is none": { line: "admin batches redeem ptb_x -g ember --country Germany" },
  "an event that cannot be": { line: ["admin", "event-config", "set", "x".repeat(121), "-g", "ember"] },
  "a variant that is none": { line: "admin experiments create X -g ember --variant a=b --variant c" },
  "allocations by halves": { line: "admin experiments create X -g ember --variant a=50 --variant c" },
  "a question that is none": { line: "admin forms create X -g ember --field fun" },
  "a form that is not there": { line: "admin forms set ff_x -g ember --active on" },
  "a handle that is not there": { line: "admin handles claim-token nosuch -g ember" },
  "a model without an address": { line: "admin providers set --model m" },
  "a model's address that is none": { line: "admin providers set --model m --url nowhere" },
  "a model's address that may not be asked": {
    line: "admin providers set --model m --url http://169.254.169.254/",
  },
  "a model without a key": { line: "admin providers set --model m --url https://api.test/v1", stdin: "" },
  "a deadline that is too long": {
    line: "admin providers set --model m --url https://api.test --deadline 2h",
  },
  "a model of no kind": { line: "admin providers remove voice" },
  "a model that is not set": { line: "admin providers remove chat" },
  "a session with two texts": { line: "admin sessions add -g ember --notes x --transcript y" },
  "a transcript that is not there": { line: "admin sessions add -g ember --transcript nosuch.txt" },
  "a transcript that is empty": { line: "admin sessions add -g ember --transcript -", stdin: " " },
  "a transcript that is no text": {
    line: "admin sessions add -g ember --transcript -",
    stdin: new Uint8Array([0xff]),
  },
  "a session that is not there": { line: "admin sessions retry sess_x" },
  "too many keys": {
    line: "admin batches add-keys ID -g ember --file keys.txt",
    first: BATCH,
    files: { "keys.txt": Array.from({ length: 20_001 }, (_, at) => `KEY-${at}\n`).join("") },
  },
  "an invite that is not there": { line: "admin batches open-invite ID tvi_x -g ember", first: BATCH },
  "an invite to redeem that is not there": {
    line: "admin batches redeem ID -g ember --invite tvi_x",
    first: BATCH,
  },
  "a key and an invite": { line: "admin batches redeem ID -g ember --invite tvi_x --key k", first: BATCH },
  "a batch without a key left": { line: "admin batches redeem ID -g ember", first: BATCH },
  "a playtest key that is not there": { line: "admin handles create wren -g ember --key ptk_x" },
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
  "summaries of a build that is not there": { line: "admin summaries generate -g ember --build 9.9" },
  "no summaries named": { line: "admin summaries generate -g ember" },
  "summaries of every environment": { line: "admin summaries generate -g ember --all --env all" },
};

/** Pictures of a heatmap, refused before anything is asked. */
const pictured: Readonly<Record<string, Scene>> = {
  "cells by the number, without the list": { line: "heatmap -g ember --top 5" },
  "an image into a pipe": { line: "heatmap -g ember --image kitty" },
  "a difference without its second build": { line: "heatmap -g ember --diff 0.8.0" },
  "a scale of no PNG": { line: "heatmap -g ember --scale 2" },
  "a picture of no known ending": { line: "heatmap -g ember --out h.gif" },
  "a picture that is a folder": { line: "heatmap -g ember --out h.svg/" },
  "a list in a file for pictures": { line: "heatmap -g ember --cells --out h.svg" },
  "a map without its bounds": { line: "heatmap -g ember --out h.svg --map level.png" },
  "a map without a picture": { line: `heatmap -g ember --map level.png ${MAP_BOUNDS}` },
  "bounds that span nothing": {
    line: "heatmap -g ember --out h.svg --map level.png --map-bounds 0,0,0,1",
  },
  "a map that is no image": {
    line: `heatmap -g ember --out h.svg --map level.png ${MAP_BOUNDS}`,
    files: { "level.png": "<svg/>" },
  },
};

const header = JSON.stringify({
  "playtest-database": 1,
  migrations: Object.keys(migrations),
  createdAt: "2026-03-01T12:00:00.000Z",
});
const moving = (line: string, text = `${header}\n`): Scene => ({ line, files: { "a.gz": gzipSync(text) } });

/** A whole database that is moved. */
const moved: Readonly<Record<string, Scene>> = {
  "a database without an account": { line: "server export a.gz --database new.db" },
  "an archive that is there already": moving("server export a.gz"),
  "an archive that is a folder": { line: "server export a/", files: { "a/x": "" } },
  "an archive at a terminal": { line: "server export -", options: { tty: true } },
  "an archive that breaks off": moving("server import a.gz"),
  "an archive that breaks off within its bytes": {
    line: "server import a.gz",
    files: { "a.gz": gzipSync(`${header}\n${"x".repeat(999)}`).subarray(0, -9) },
  },
  "an archive that is changed": moving("server import a.gz", `${header}\n{}\n`),
  "an archive of another format": moving("server import a.gz", '{"playtest-database":9}\n'),
  "an archive of a newer version": moving("server import a.gz", header.replace("001-", "999-")),
  "an archive of an older version": moving("server import a.gz", header.replace('"001-play",', "")),
  "an archive for a database that is in use": {
    ...moving("server import a.gz"),
    first: "admin games create ember",
  },
  "an archive among telemetry": moving("server import a.gz b.ndjson"),
  "an archive with flags of telemetry": moving("server import a.gz --create-games"),
};

export const scenes: Readonly<Record<string, Scene>> = {
  ...answered,
  ...typed,
  ...set,
  ...local,
  ...pictured,
  ...moved,
};

/** Puts the files of a scene into its folder. */
export function furnish(home: string, { files = {}, links = {}, config }: Scene): void {
  const all: Record<string, string | Uint8Array> = { ...files };
  if (config !== undefined)
    all["config/config.json"] = typeof config === "string" ? config : JSON.stringify(config);
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(join(home, name, ".."), { recursive: true });
    writeFileSync(join(home, name), content);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(home, name));
}

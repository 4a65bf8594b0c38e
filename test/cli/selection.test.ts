/** --fields and --jq, empty lists, and what goes to standard output or standard error. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPage, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { type ReplySource, script } from "../client/script.ts";
import { runCli, startTestService, type TestService } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };
const second = {
  ...SESSION,
  id: "sess_2",
  duration: 61,
  metadata: { gameVersion: "0.8.0", platform: "mac", gpu: "x" },
};
const page = createPage([SESSION, second], 9, true);

async function shown(
  line: string[],
  reply: ReplySource = { body: page },
  options: Parameters<typeof runCli>[1] = {},
) {
  return await runCli(line, { env, transport: script(reply).transport, ...options });
}
const out = async (...line: string[]) => (await shown(line)).out;

describe("--fields", () => {
  test("selects fields in the given order for a table, and nested fields by path", async () => {
    expect(
      await out("sessions", "list", "--fields", "metadata.platform, duration,id"),
    ).toMatchInlineSnapshot(`
      "metadata.platform  duration  id
      ─────────────────  ────────  ──────
      windows                 754  sess_1
      mac                      61  sess_2
      "
    `);
    const wide = await shown(
      ["sessions", "list", "--fields", "id,title"],
      { body: page },
      { tty: true, columns: 20 },
    );
    expect(wide.out).toMatchInlineSnapshot(`
      "id      title
      ──────  ───────────
      sess_1  First visit
      sess_2  First visit
      "
    `);
  });

  test("keeps the structure of JSON and the values next to the list", async () => {
    expect(JSON.parse(await out("sessions", "list", "--json", "--fields", "id,metadata.gpu"))).toEqual({
      items: [
        { id: "sess_1", metadata: { gpu: null } },
        { id: "sess_2", metadata: { gpu: "x" } },
      ],
      hasMore: true,
      total: 9,
    });
  });

  test.each([
    ["csv", '"id","duration"\n"sess_1",754\n"sess_2",61\n'],
    ["tsv", "id\tduration\nsess_1\t754\nsess_2\t61\n"],
    ["ndjson", '{"id":"sess_1","duration":754}\n{"id":"sess_2","duration":61}\n'],
    ["md", "| id | duration |\n| --- | ---: |\n| sess_1 | 754 |\n| sess_2 | 61 |\n"],
  ])("works in %s", async (format, text) => {
    expect(await out("sessions", "list", "--format", format, "--fields", "id,duration")).toBe(text);
  });

  test("selects from a single object and from settings", async () => {
    const game = await shown(["games", "get", "--fields", "counts.sessionCount,game.slug", "--json"], {
      body: responseBodies.getGame,
    });
    expect(game.out).toBe('{"counts":{"sessionCount":3},"game":{"slug":"ember"}}\n');
    expect((await shown(["config", "path", "--fields", "path"])).out).toMatch(/^path\n─+\n.*config\.json\n$/);
  });

  test("rejects unknown fields and lists the available ones", async () => {
    const run = await shown(["sessions", "list", "--fields", "id,nope,metadata.nope", "--json"]);
    expect([run.code, run.out]).toEqual([2, ""]);
    expect(run.err.split("\n").slice(0, 2)).toEqual([
      'error: --fields: unknown field "nope", "metadata.nope"',
      expect.stringMatching(/^hint: Available: id, gameId, title, source, .*metadata\.gameVersion/),
    ]);
  });

  test("accepts any fields for an empty list", async () => {
    const run = await shown(["sessions", "list", "--fields", "id"], { body: createPage([]) });
    expect([run.code, run.out, run.err]).toEqual([0, "", "No sessions match.\n"]);
  });

  test("must not be empty", async () => {
    expect(await shown(["sessions", "list", "--fields", ""])).toMatchObject({ code: 2, out: "" });
  });
});

describe("--jq", () => {
  test.each([
    [".items[].id", "sess_1\nsess_2\n"],
    [".total", "9\n"],
    [".items | map(.duration) | add", "815\n"],
    ["empty", ""],
    [".items[0].metadata", '{"gameVersion":"0.9.0","platform":"windows"}\n'],
    ['.items[0].id, null, true, [1], "a b"', "sess_1\nnull\ntrue\n[1]\na b\n"],
  ])("%s", async (expression, text) => {
    expect(await out("sessions", "list", "--jq", expression)).toBe(text);
    expect(await out("sessions", "list", "--json", "--jq", expression)).toBe(text);
  });

  test("applies to the output of --fields", async () => {
    expect(await out("sessions", "list", "--fields", "id", "--jq", ".items[0]")).toBe('{"id":"sess_1"}\n');
  });

  test("applies to the output of local commands", async () => {
    expect((await shown(["config", "list", "--jq", '.settings[] | select(.name=="tz").value'])).out).toBe(
      "UTC\n",
    );
  });

  test.each([
    [".items[", "syntax error, unexpected end of file"],
    [".items | .nope", ": Cannot index array with string"],
    ["nosuch", "nosuch/0 is not defined"],
    ['error("mine")', "mine"],
  ])("reports the error in %s in two lines", async (expression, reason) => {
    const run = await shown(["sessions", "list", "--jq", expression]);
    expect([run.code, run.out]).toEqual([2, ""]);
    const [error, hint, json, ...rest] = run.err.split("\n");
    expect(error).toContain(`error: --jq ${JSON.stringify(expression)}: `);
    expect(error).toContain(reason);
    expect(error).not.toContain("\\n");
    expect(hint).toMatch(/^hint: /);
    expect(JSON.parse(json ?? "").error.code).toBe("usage");
    expect(rest).toEqual([""]);
  });

  test.each(["table", "csv", "ndjson"])("requires JSON, not %s", async (format) => {
    const run = await shown(["sessions", "list", "--format", format, "--jq", "."]);
    expect([run.code, run.out]).toEqual([2, ""]);
    expect(run.err).toContain(`--jq requires JSON output, not ${format}`);
  });
});

describe("an empty list", () => {
  const empty: [line: string, body: unknown, message: string][] = [
    ["games list", { games: [] }, "No games yet.\n"],
    ["sessions list", createPage([]), "No sessions match.\n"],
    ["insights list", createPage([]), "No insights match. Omit a filter to see more.\n"],
    [
      "events",
      {
        game: (responseBodies.getGame as { game: unknown }).game,
        sessionCount: 0,
        total: 0,
        byName: {},
        top: [],
      },
      "No events match.\n",
    ],
    [
      "heatmap",
      { ...(responseBodies.getHeatmap as object), rooms: [], eventCount: 0 },
      "No positions match. This service draws only player_pos events of unity-telemetry sessions.\n",
    ],
  ];

  test.each(empty)(
    "of %s succeeds with a message on stderr and nothing on stdout",
    async (line, body, message) => {
      const run = await shown(line.split(" "), { body });
      expect([run.code, run.out, run.err]).toEqual([0, "", message]);
    },
  );

  test.each(empty)("of %s is the complete body in JSON, without a message", async (line, body) => {
    const run = await shown([...line.split(" "), "--json"], { body });
    expect([run.code, run.out, run.err]).toEqual([0, `${JSON.stringify(body)}\n`, ""]);
  });

  test.each(empty.slice(0, 3))(
    "of %s is a header in CSV and Markdown, and nothing in NDJSON",
    async (line, body) => {
      const text = async (format: string) =>
        (await shown([...line.split(" "), "--format", format], { body })).out;
      expect(await text("csv")).toMatch(/^[a-zA-Z.,"]+\n$/);
      expect(await text("md")).toMatch(/^\| .* \|\n\| .* \|\n$/);
      expect(await text("ndjson")).toBe("");
    },
  );
});

describe("stdout", () => {
  test("contains only data; a note about more results goes to stderr, and only for tables", async () => {
    const table = await shown(["sessions", "list"]);
    expect(table.err).toBe("Showing 2 of 9. Use --limit or --all to show more.\n");
    expect(table.out).not.toContain("Showing");
    for (const format of ["json", "ndjson", "csv", "tsv", "md"]) {
      expect((await shown(["sessions", "list", "--format", format])).err).toBe("");
    }
  });

  test("is empty after an error, in every format", async () => {
    for (const format of ["table", "json", "ndjson", "csv", "tsv", "md"]) {
      const run = await shown(["insights", "list", "--format", format], {
        status: 404,
        body: { error: "Not found" },
      });
      expect([run.code, run.out]).toEqual([44, ""]);
    }
  });
});

describe("a document joined from several pages", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await service.addGame("ember");
    for (let at = 0; at < 130; at += 1) {
      const event = { id: "e", name: "jump", timestamp: service.clock.now - at * 1000 };
      await service.post("/api/telemetry", { gameId: "ember", startedAt: event.timestamp, events: [event] });
    }
  });
  afterAll(() => service.stop());

  test("equals what the service would return in a single page", async () => {
    const first = (await service.get("/api/v1/sessions?limit=100")).json;
    const rest = (await service.get("/api/v1/sessions?limit=100&offset=100")).json;
    const all = await runCli(["sessions", "list", "--all", "--json"], { service });
    expect(JSON.parse(all.out)).toEqual({ ...rest, items: [...first.items, ...rest.items] });
    const some = await runCli(["sessions", "list", "--limit", "120", "--json"], { service });
    expect(JSON.parse(some.out)).toMatchObject({ total: 130, hasMore: true });
  });
});

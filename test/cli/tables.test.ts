/** The table output of each read command, with the data of the demo studio. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { displayWidth } from "../../src/render/text.ts";
import { runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
let device: string;
beforeAll(async () => {
  service = await startDemo();
  device = (await service.get("/api/v1/sessions/sess_5a77d8ee9e5c3c9040fbb3be")).json.session.deviceId;
});
afterAll(() => service.stop());

const run = async (line: string, options: Parameters<typeof runCli>[1] = {}) =>
  await runCli(line.replace("DEVICE", device).split(" "), { service, ...options });

const out = async (line: string, options: Parameters<typeof runCli>[1] = {}) => {
  const { code, out: text, err } = await run(line, options);
  expect([
    code,
    err.replace(/^(Showing .*|All rows:[\s\S]*columns\.|\d+ session summaries[^`]+`[^`]+`\.)\n/gm, ""),
  ]).toEqual([0, ""]);
  return text;
};

describe("tables", () => {
  test("show games in every format", async () => {
    expect(await out("games list")).toMatchInlineSnapshot(`
      "SLUG      NAME          ID                             CREATED
      ────────  ────────────  ─────────────────────────────  ────────────────────
      tidepool  Tidepool      game_2658008879e386337a2a1b41  2026-01-30T00:00:00Z
      ember     Ember Hollow  game_5762ce37266d4a3636a78e98  2026-01-15T00:00:00Z
      "
    `);
    expect(await out("games list --plain", { tty: true })).toMatchInlineSnapshot(`
      "SLUG      NAME          ID                             CREATED
      tidepool  Tidepool      game_2658008879e386337a2a1b41  1mo ago
      ember     Ember Hollow  game_5762ce37266d4a3636a78e98  1mo ago
      "
    `);
    expect(await out("games list --wide", { tty: true, columns: 200 })).toMatchInlineSnapshot(`
      "SLUG      NAME          ID                             CREATED  ACCOUNT
      ────────  ────────────  ─────────────────────────────  ───────  ─────────────────────────────
      tidepool  Tidepool      game_2658008879e386337a2a1b41  1mo ago  user_000000000000000000000000
      ember     Ember Hollow  game_5762ce37266d4a3636a78e98  1mo ago  user_000000000000000000000000
      "
    `);
    expect(await out("games list --format csv")).toMatchInlineSnapshot(`
      ""slug","name","id","createdAt","userId"
      "tidepool","Tidepool","game_2658008879e386337a2a1b41",1769731200000,"user_000000000000000000000000"
      "ember","Ember Hollow","game_5762ce37266d4a3636a78e98",1768435200000,"user_000000000000000000000000"
      "
    `);
    expect(await out("games list --format tsv")).toMatchInlineSnapshot(`
      "slug	name	id	createdAt	userId
      tidepool	Tidepool	game_2658008879e386337a2a1b41	1769731200000	user_000000000000000000000000
      ember	Ember Hollow	game_5762ce37266d4a3636a78e98	1768435200000	user_000000000000000000000000
      "
    `);
    expect(await out("games list --format md")).toMatchInlineSnapshot(`
      "| SLUG | NAME | ID | CREATED | ACCOUNT |
      | --- | --- | --- | --- | --- |
      | tidepool | Tidepool | game_2658008879e386337a2a1b41 | 2026-01-30T00:00:00Z | user_000000000000000000000000 |
      | ember | Ember Hollow | game_5762ce37266d4a3636a78e98 | 2026-01-15T00:00:00Z | user_000000000000000000000000 |
      "
    `);
  });

  test.each(["games list", "sessions list -g ember", "insights list -g ember"])(
    "of %s fit in 80 columns",
    async (line) => {
      const lines = (await out(line, { tty: true, columns: 80 })).split("\n");
      expect(lines.filter((text) => displayWidth(text) > 80)).toEqual([]);
    },
  );

  test.each(["events -g ember", "builds compare 0.8.0 0.9.0 -g ember --all --stats"])(
    "of %s have lines that wrap between words",
    async (line) => {
      const lines = (await out(line, { tty: true, columns: 45 })).split("\n");
      expect(lines.filter((text) => displayWidth(text) > 45)).toEqual([]);
    },
  );

  test("show sessions", async () => {
    expect(await out("sessions list -g ember --limit 3", { tty: true, columns: 110 })).toMatchInlineSnapshot(`
      "ID             LENGTH  RECORDED  TESTER    TITLE
      ─────────────  ──────  ────────  ────────  ──────────────────────────────────────
      sess_9d6bc025  3m 54s  13h ago   wrenwood  Ended in furnace, 4m
      sess_aa731dd0  4m 16s  21h ago   theo-lag  Completed furnace after 2 failures, 4m
      sess_d7f8f9c7  5m 53s  2d ago    -         Completed ash-bridge, 6m
      "
    `);
    expect(await out("sessions list -g ember --limit 2 --wide")).toMatchInlineSnapshot(`
      "ID                             BUILD  ENV         PLATFORM  STATUS    LENGTH  RECORDED              TESTER    SOURCE           GAME                           TITLE
      ─────────────────────────────  ─────  ──────────  ────────  ────────  ──────  ────────────────────  ────────  ───────────────  ─────────────────────────────  ──────────────────────────────────────
      sess_9d6bc0253ee0b90278773b7c  0.9.0  production  windows   analyzed  3m 54s  2026-02-28T22:48:00Z  wrenwood  unity-telemetry  game_5762ce37266d4a3636a78e98  Ended in furnace, 4m
      sess_aa731dd006e9f519f8089964  0.9.0  production  windows   analyzed  4m 16s  2026-02-28T14:24:00Z  theo-lag  unity-telemetry  game_5762ce37266d4a3636a78e98  Completed furnace after 2 failures, 4m
      "
    `);
  });

  test("show which sessions to watch", async () => {
    const line = "sessions list -g ember --build latest --sort watch --limit 3";
    expect(await out(line, { tty: true, columns: 120 })).toMatchInlineSnapshot(`
      "ID             PROBLEMS  LAST ROOM  RATING  WORST AT  RECORDED  TESTER   TITLE
      ─────────────  ────────  ─────────  ──────  ────────  ────────  ───────  ──────────────────────────────────────
      sess_9087f25b         3  furnace    -          19:34  4d ago    pedrao   Quit in furnace after 11 failures, 20m
      sess_4efae81b         3  furnace    -          20:23  7d ago    -        Quit in furnace after 9 failures, 20m
      sess_79d75709         2  furnace    -          21:32  7d ago    rafa_br  Quit in furnace after 14 failures, 22m
      "
    `);
    expect(await out(line, { tty: true, columns: 80 })).toMatchInlineSnapshot(`
      "ID             PROBLEMS  LAST ROOM  RATING  WORST AT  TITLE
      ─────────────  ────────  ─────────  ──────  ────────  ──────────────────────────
      sess_9087f25b         3  furnace    -          19:34  Quit in furnace after 11 …
      sess_4efae81b         3  furnace    -          20:23  Quit in furnace after 9 f…
      sess_79d75709         2  furnace    -          21:32  Quit in furnace after 14 …
      "
    `);
  });

  test("show insights", async () => {
    const line = "insights list -g ember --type difficulty-spike --limit 4";
    expect(await out(line, { tty: true, columns: 110 })).toMatchInlineSnapshot(`
      "BUILD  ROOM        SESSION           AT  TAG                          ID            TITLE
      ─────  ──────────  ─────────────  ─────  ───────────────────────────  ────────────  ──────────────────────────
      0.8.0  gardens     sess_60b706f7   8:22  difficulty-spike:gardens     ins_011e2b94  Failed 6 times in a row i…
      0.8.0  ash-bridge  sess_82954aeb  10:10  difficulty-spike:ash-bridge  ins_01430c48  Failed 5 times in a row i…
      0.9.0  furnace     sess_99f4a10d  17:12  difficulty-spike:furnace     ins_04417461  Failed 7 times in a row i…
      0.8.0  ash-bridge  sess_a9819983  11:16  difficulty-spike:ash-bridge  ins_061fd7a4  Failed 7 times in a row i…
      "
    `);
  });

  test("show one session", async () => {
    const line = "sessions get sess_5a77d8ee9e5c3c9040fbb3be";
    expect(await out(line, { tty: true, columns: 90 })).toMatchInlineSnapshot(`
      "Quit in furnace after 10 failures, 19m
        0.9.0 · windows · production · 19m 02s · 8d ago · dev_f81058bf6bc8
        sess_5a77d8ee9e5c3c9040fbb3be
        Events show 18m 46s of active play in 6 rooms: success in 5 rooms, 12 failures (10 in
        furnace); ended with rage_quit in furnace

        14:44  Failed 10 times in a row in furnace     difficulty-spike:furnace
        18:45  Rage-quit in furnace after 10 failures  negative-moment:furnace

        Evidence: playtest sessions get sess_5a77d8ee9e5c3c9040fbb3be --wide
        911 events: playtest sessions events sess_5a77d8ee9e5c3c9040fbb3be
      "
    `);
  });

  test("show a build and a tester", async () => {
    expect(await out("builds get latest -g ember")).toMatchInlineSnapshot(`
      "Build                  0.9.0
      Game                   Ember Hollow
      Statistics for         all environments combined (production, staging)
      Sessions               36
      Testers                28
      First seen             2026-02-18T13:55:12Z
      Last seen              2026-02-28T22:48:00Z
      Play time              8h 41m (8h 29m active)
      Mean session length    14m 30s (14m 09s active)
      Median session length  15m 40s (15m 34s active)
      Engagement             98% of play time active
      Summary (production)   -
      "
    `);
    expect(await out("testers get DEVICE -g ember", { tty: true, columns: 100 })).toMatchInlineSnapshot(`
      "Tester                 dev_f81058bf6bc8
      Device                 dev_f81058bf6bc8
      Game                   Ember Hollow
      Last location          Turin, IT
      Sessions               2
      First seen             8d ago
      Last seen              2d ago
      Last build             0.9.0
      Play time              25m 40s (25m 06s active)
      Mean session length    12m 50s (12m 33s active)
      Median session length  12m 50s (12m 33s active)
      Engagement             98% of play time active
      Summary                -

      ID              LENGTH  RECORDED  TITLE
      ─────────────  ───────  ────────  ──────────────────────────────────────
      sess_2805783a   6m 38s  2d ago    Quit in furnace after 6 failures, 6m
      sess_5a77d8ee  19m 02s  8d ago    Quit in furnace after 10 failures, 19m
      "
    `);
  });

  test("show a comparison", async () => {
    expect(await out("builds compare 0.8.0 0.9.0 -g ember", { tty: true })).toMatchInlineSnapshot(`
      "✗ 0.9.0 vs 0.8.0: worse in 2 ways, better in 2
        ember · production · 20 → 27 testers

        ✗  9/10 new testers  new room, limit 40%      difficulty-spike:furnace
        ✗  8/10 new testers  new room, limit 40%      quit:furnace
        ✓      10/17 → 0/26  -62 pts                  difficulty-spike:ash-bridge
        ✓       4/17 → 0/26  -23 pts                  quit:ash-bridge
        ?  5/10 new testers  new room, may be chance  negative-moment:furnace

        shared rooms completed 88% → 98% · 22 more rows without a clear change (--all)
        Better only for testers of both builds, who have practice: quit:ash-bridge.
        In rooms that are new in 0.9.0, only testers who had not played 0.8.0 count.
        Can it ship?  playtest gate 0.8.0 0.9.0 --game ember
      "
    `);
    expect(await out("builds compare 0.8.0 0.9.0 -g ember --plain")).toMatchInlineSnapshot(`
      "0.9.0 vs 0.8.0: worse in 2 ways, better in 2
        ember · production · 20 to 27 testers

        worse    Difficulty spike in furnace     9/10 new testers  new room, limit 40%      difficulty-spike:furnace
        worse    Quit in furnace                 8/10 new testers  new room, limit 40%      quit:furnace
        better   Difficulty spike in ash-bridge     10/17 to 0/26  -62 pts                  difficulty-spike:ash-bridge
        better   Quit in ash-bridge                  4/17 to 0/26  -23 pts                  quit:ash-bridge
        unclear  Left furnace unfinished         5/10 new testers  new room, may be chance  negative-moment:furnace

        shared rooms completed 88% to 98% · 22 more rows without a clear change (--all)
        Better only for testers of both builds, who have practice: quit:ash-bridge.
        In rooms that are new in 0.9.0, only testers who had not played 0.8.0 count.
        Can it ship?  playtest gate 0.8.0 0.9.0 --game ember
      "
    `);
  });

  test("show events", async () => {
    expect(await out("events -g ember --top 4", { tty: true })).toMatchInlineSnapshot(`
      "Ember Hollow: 39,623 events, 19 event names, 63 sessions

      EVENT               COUNT  SHARE
      ─────────────────  ──────  ─────  ──────────────────────────────
      player_pos         30,832  77.8%  ██████████████████████████████
      jump                6,087  15.4%  █████▉
      session_heartbeat     804   2.0%  ▊
      player_death          436   1.1%  ▍
      "
    `);
    expect(await out("events -g ember --top 2 --format csv")).toBe(
      '"name","count"\n"player_pos",30832\n"jump",6087\n',
    );
  });

  test("show the heatmap of one room", async () => {
    expect(await out("heatmap -g ember --room furnace", { tty: true, columns: 60 })).toMatchInlineSnapshot(`
      "Ember Hollow, environment production: 6,067 positions in 1
      room (24,765 more positions in rooms not shown)

      furnace
      6,067 positions (20% of all), 34% of cells visited, densest
      at x -13, y 12
          │               -=
          │               ,,
       30 ┤               ,-
          │             ,=+*-+*
          │          ,%*#%%%#*++,
       20 ┤         ,+#+*%@%*,+#*=
          │        ,*%%*,+*+= =%%#,
          │        ,#@@#- ,,- =#%*-
       10 ┤        ,#%%*   ,= ,-=,,-
          │       =#@%=,    =-     -=,
          │     =+=, *%%+    ,=-=,, ,,-
        0 ┤ ,,-+=,     =%%#,     ,-=---===,
          │-**+,--+==+=++*##-----=----=+#%=
          │+@#+++====,-  ,+-           -*#=
      -10 ┤-++,         ,+=             ,,
          │             +*
          │              ==
      -20 ┤               =
          └──┬──────┬─────┬──────┬──────┬──
            -40    -20    0      20     40
      Positions per cell:  ',' 1–2  '-' 3–5  '=' 6–11  '+' 12–22
      '*' 23–44  '#' 45–84  '%' 85–160  '@' 161–303
      blank no positions

      The scale is logarithmic. Colors are scaled to the densest
      cell of each room.
      "
    `);
  });
});

/** insights list: what its table shows of each insight, and the problems of a build by tag. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { displayWidth } from "../../src/render/text.ts";
import { withoutExtensions } from "../document-service.ts";
import { createAppTransport, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo();
});
afterAll(() => service.stop());

const run = async (line: string, options: Parameters<typeof runCli>[1] = {}) =>
  await runCli(line.split(" "), { service, ...options });

/** A run against a service that offers only what the API document lists. */
const runDocument = (line: string, options: Parameters<typeof runCli>[1] = {}) =>
  run(line, { ...options, transport: withoutExtensions(createAppTransport(service.app)) });

const json = async (line: string) => JSON.parse((await run(`${line} --json`)).out);

describe("as a table", () => {
  it("shows the build, the room, the session and the moment of play", async () => {
    const { out, err } = await run("insights list -g ember --build 0.9.0 --limit 6", {
      tty: true,
      columns: 120,
    });
    expect(out).toMatchInlineSnapshot(`
      "ROOM            SESSION           AT  TAG                              ID            TITLE
      ──────────────  ─────────────  ─────  ───────────────────────────────  ────────────  ───────────────────────────────────
      furnace         sess_99f4a10d  17:12  difficulty-spike:furnace         ins_04417461  Failed 7 times in a row in furnace
      observatory     sess_ffbc119e   9:38  bug-report:observatory           ins_0ae67ea2  1 error in observatory: NullRefere…
      gardens         sess_1796aaf9   7:42  difficulty-spike:gardens         ins_1ad764cd  Failed 6 times in a row in gardens
      lantern-stairs  sess_5f987299   4:45  difficulty-spike:lantern-stairs  ins_25cdeb87  Failed 6 times in a row in lantern…
      furnace         sess_2d362fff  18:42  difficulty-spike:furnace         ins_276b7bec  Failed 6 times in a row in furnace
      furnace         sess_5a77d8ee  18:45  negative-moment:furnace          ins_36d6b86d  Rage-quit in furnace after 10 fail…
      "
    `);
    expect(err).toMatchInlineSnapshot(`
      "Showing 6 of 46. Use --limit or --all to show more.
      All rows: build 0.9.0. Use --wide to show all columns.
      36 session summaries are left out; see \`playtest sessions get <session> --game ember\`.
      "
    `);
  });

  it("keeps the tag and leaves out other columns at 80 columns", async () => {
    const { out } = await run("insights list -g ember --all", { tty: true, columns: 80 });
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^BUILD +SESSION +AT +TAG +TITLE$/);
    expect(lines.filter((line) => displayWidth(line) > 80)).toEqual([]);
    expect(out).toContain("bug-report:frame-rate-ash-bridge ");
  });

  it("leaves out session summaries unless they are selected", async () => {
    const { total } = await json("insights list -g ember --type session-summary");
    const { out, err } = await run("insights list -g ember --all");
    expect(out).not.toContain("session-summary");
    expect(err).toBe(
      `${total} session summaries are left out; see \`playtest sessions get <session> --game ember\`.\n`,
    );
    const selected = await run("insights list -g ember --type session-summary --limit 2");
    expect(selected.out.match(/session-summary:session/g)).toHaveLength(2);
    expect(selected.err).not.toContain("left out");
  });

  it("is the same page by page without announced extensions, except for the moments", async () => {
    const line = "insights list -g ember --offset 90 --limit 25";
    const [own, document] = [await run(line), await runDocument(line)];
    const withoutMoments = (text: string) => text.replaceAll(/ +(\d+:\d\d|-|AT|─+)(?= {2})/g, "");
    expect(withoutMoments(document.out)).toBe(withoutMoments(own.out));
    expect(document.err).toBe(own.err);
  });

  test.each(["json", "ndjson", "csv"])("%s contains everything that the service returns", async (format) => {
    const { out, err } = await run(`insights list -g ember --limit 20 --format ${format}`);
    expect(out).toContain("session-summary");
    expect(out).not.toContain("activeSec");
    expect(err).toBe("");
  });
});

describe("--by tag", () => {
  it("counts the testers of each problem of the latest build, with an example", async () => {
    const { out, err } = await run("insights list -g ember --by tag", { tty: true, columns: 80 });
    expect(err).toBe("");
    expect(out).toMatchInlineSnapshot(`
      "ember 0.9.0 · production · 27 testers · problems by testers affected

      TESTERS  TAG                               EXAMPLE
      ───────  ────────────────────────────────  ─────────────────────────────────────
           16  difficulty-spike:furnace          Failed 14 times in a row in furnace
            7  negative-moment:furnace           Rage-quit in furnace after 14 failur…
            5  bug-report:frame-rate-ash-bridge  Low frame rate in ash-bridge: 7 drop…
            5  bug-report:observatory            1 error in observatory: NullReferenc…
            5  difficulty-spike:lantern-stairs   Failed 6 times in a row in lantern-s…
            2  difficulty-spike:gardens          Failed 6 times in a row in gardens
            1  bug-report:furnace                1 crash in furnace
            1  pacing-issue:gardens              Idle for 3m 5s in gardens
            1  pacing-issue:observatory          Idle for 4m 20s in observatory

      one tag: playtest insights list --tag difficulty-spike:furnace --game ember
      where testers quit: playtest builds dropoff 0.9.0 --game ember
      "
    `);
  });

  it("counts as builds compare does, and shows all with --all", async () => {
    const { game, build, environment, testers, items } = await json("insights list -g ember --by tag");
    const compared = await service.get("/api/v1/builds/compare?game=ember&a=0.9.0&b=0.9.0");
    const { byTag, testersInBatch } = compared.json.buildB;
    expect([game, build, environment, testers]).toEqual(["ember", "0.9.0", "production", testersInBatch]);
    const counts = (groups: Record<string, unknown>[], key: string) =>
      Object.fromEntries(groups.map((group) => [group.tag, group[key]]));
    expect(counts(items, "testers")).toEqual(counts(byTag, "testersWithTag"));
    const { out } = await run("insights list -g ember --by tag --all");
    expect(out.match(/^ +\d+ {2}/gm)).toHaveLength(items.length);
    expect(out).not.toContain("--all");
  });

  it("counts the testers of each type of problem where insights have no tags", async () => {
    const { out } = await runDocument("insights list -g ember --by tag --json");
    const { items, ...scope } = JSON.parse(out);
    const { items: own, ...ownScope } = await json("insights list -g ember --by tag");
    expect(scope).toEqual(ownScope);
    expect(items[0].tag).toBe("difficulty-spike");
    expect(items[0].testers).toBeGreaterThanOrEqual(own[0].testers);
    expect(items.every(({ tag }: { tag: string }) => !tag.includes(":"))).toBe(true);
  });

  it("takes a build and an environment, and no other filter", async () => {
    const { build, environment, testers } = await json(
      "insights list -g ember --by tag --build previous --env all",
    );
    expect([build, environment, testers > 0]).toEqual(["0.8.0", "all", true]);
    const { code, err } = await run("insights list -g ember --by tag --tag difficulty-spike:furnace");
    expect([code, err]).toEqual([2, expect.stringContaining("--tag cannot be used with --by")]);
  });
});

test.each(["insights list", "sessions list", "events", "heatmap --cells"])(
  "%s finds the build of --build latest",
  async (command) => {
    const { out } = await run(`${command} -g ember --build latest --json`);
    expect(out).toBe((await run(`${command} -g ember --build 0.9.0 --json`)).out);
    expect((await run(`${command} --build latest`)).err).toContain("No game specified");
  },
);

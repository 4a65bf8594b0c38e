/** Tests of the demo studio: every endpoint of its largest game returns data, and every status occurs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedDemo } from "../../src/cli/commands/server/seed.ts";
import { datasetNames } from "../../src/export/datasets/index.ts";
import { displayWidth } from "../../src/render/text.ts";
import type { TitledRow } from "../../src/scorecard/titled-rows.ts";
import { freshFolder, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

const get = async (path: string) => {
  const { status, json } = await service.get(`/api/v1/${path}`);
  expect([path, status]).toEqual([path, 200]);
  return json;
};

describe("the demo studio", () => {
  test("has sessions of every permanent status", async () => {
    for (const status of ["transcribing", "analyzed", "failed"]) {
      expect((await get(`sessions?game=ember&status=${status}`)).total).toBeGreaterThan(0);
    }
  });

  test("has chat threads, one of which continued in the same session", async () => {
    const { items } = await get("sessions?game=ember&source=discord");
    expect(items.map((one: { title: string }) => one.title)).toEqual([
      "Questions in the general channel",
      "Wave 2 talks about the controls",
      "Wave 2 talks about the furnace",
    ]);
    expect(items.map((one: { status: string }) => one.status)).toEqual(Array(3).fill("analyzed"));
    const [{ metadata }] = items;
    expect([metadata.channel_id, metadata.thread_id]).toEqual(["general", undefined]);
    const { session } = await get(`sessions/${items[2].id}`);
    expect(session.transcript).toContain("furnace");
    const threads = await service.service.store.readDb.selectFrom("chat_threads").selectAll().execute();
    const furnace = threads.find((one) => one.session_id === session.id);
    expect(Number(furnace?.called_at) - session.recordedAt).toBe(38 * 60_000);
  });

  test("has suggestions with the counts of the comparison, beginning with what the gate fails", async () => {
    const run = async (line: string) => {
      const { out } = await runCli([...line.split(" "), "--game", "ember", "--json"], { service });
      return JSON.parse(out);
    };
    const { suggestions } = await run("builds suggestions 0.8.0 0.9.0");
    const { checks } = await run("gate 0.8.0 0.9.0");
    const { rows } = await run("builds compare 0.8.0 0.9.0 --scorecard");
    const format = ({ a, b }: Pick<TitledRow, "a" | "b">) => `${b.count}/${b.total} ${a.count}/${a.total}`;
    const failed = checks.filter(({ ruling }: { ruling: string }) => ruling === "failed").map(format);
    expect(failed.length).toBeGreaterThan(0);
    expect(suggestions.length).toBeGreaterThan(failed.length);
    for (const [at, { rationale }] of suggestions.entries()) {
      const [, inB, ofB, inA = 0, ofA = 0] =
        /^(\d+) of (\d+) .*? in 0\.9\.0(?: and (\d+) of (\d+) in 0\.8\.0)?\b/.exec(rationale) ?? [];
      const counts = `${inB}/${ofB} ${inA}/${ofA}`;
      expect(at < failed.length ? [failed[at]] : rows.map(format)).toContain(counts);
    }
  });

  test("has lists whose tables fit 80 columns", async () => {
    const [{ id: batch }] = (await get("batches/ember")).batches;
    const lists = ["games list", "sessions list --all", "insights list", "builds list", "batches list"];
    const more = [`batches keys ${batch}`, `batches invites ${batch}`, "handles list", "experiments list"];
    for (const line of [...lists, ...more]) {
      const argv = [...line.split(" "), "--game", "ember"];
      const { out } = await runCli(argv, { service, tty: true, columns: 80 });
      const [header = "", rule = "", ...rows] = out.trimEnd().split("\n");
      expect([line, rule]).toEqual([line, expect.stringMatching(/^[─ ]+$/)]);
      expect([line, Math.max(...[header, rule, ...rows].map(displayWidth)) <= 80]).toEqual([line, true]);
    }
  });

  test("has forms with answers, and an inactive form", async () => {
    const { forms } = await get("games/ember/prompts");
    expect(forms.map((form: { active: boolean }) => form.active)).toContain(false);
    expect(Math.max(...forms.map((form: { responseCount: number }) => form.responseCount))).toBeGreaterThan(
      20,
    );
  });

  test("has keys of every status, and invites", async () => {
    const { batches } = await get("batches/ember");
    const statuses = new Set<string>();
    for (const { id } of batches) {
      for (const key of (await get(`batches/ember/${id}/keys`)).keys) statuses.add(key.status);
    }
    expect([...statuses].sort()).toEqual(["available", "expired", "redeemed", "reserved", "revoked"]);
    expect((await get(`batches/ember/${batches[0].id}/invites`)).invites.length).toBe(3);
  });

  test("has a handle whose key is probably shared", async () => {
    const { handles } = await get("handles/ember");
    const shared = handles.filter((one: { distinct_countries: number }) => one.distinct_countries >= 3);
    expect(shared.map((one: { handle: string }) => one.handle)).toEqual(["theo-lag"]);
  });

  test("has experiments of every status, with a normal and a degraded digest", async () => {
    const { experiments } = await get("games/ember/experiments");
    expect(experiments.map((one: { status: string }) => one.status).sort()).toEqual([
      "draft",
      "running",
      "stopped",
    ]);
    const digests = new Map<string, string | undefined>();
    for (const { id, status } of experiments) {
      digests.set(status, (await get(`experiments/${id}/comparison`)).digest?.status);
    }
    expect(Object.fromEntries(digests)).toEqual({ draft: undefined, running: "ok", stopped: "degraded" });
  });

  test("has summaries, archetypes, suggestions and journeys", async () => {
    expect((await get("builds/ember/0.9.0")).summary.narrative).toContain("furnace");
    expect((await get("testers/ember/archetypes")).archetypes.length).toBeGreaterThan(0);
    const { suggestions } = await get("builds/compare/suggestions?game=ember&a=0.8.0&b=0.9.0");
    expect(suggestions.length).toBeGreaterThan(0);
    expect((await get("testers/ember/theo-lag/journey")).journey.totalSessions).toBe(4);
  });

  test("is the same when it is seeded again", async () => {
    const before = await get("games/ember");
    await seedDemo({ ...service, database: ":memory:" });
    expect(await get("games/ember")).toEqual(before);
    expect((await get("games/ember/experiments")).experiments).toHaveLength(3);
  });

  test("is exported completely within the rate limit of one minute", async () => {
    const all = datasetNames.join(" ");
    const cwd = freshFolder();
    const run = await runCli(["export", ...all.split(" "), "--all-games", "--out", "x", "--json"], {
      service,
      cwd,
    });
    expect([run.code, run.waits]).toEqual([0, []]);
    expect(JSON.parse(run.out).requests).toBeLessThan(60);
  });
});

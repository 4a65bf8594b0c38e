/** Commands that change data take whole ids, or a confirmed beginning of an id at a terminal. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type CliRun, runCli } from "../harness.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

/** The whole ids, by kind. */
let ids: Readonly<Record<"ptb" | "sess" | "exp", string>>;

beforeEach(async () => {
  writeFileSync(join(fixture.folder, "said.txt"), "Where is the lever?");
  await fixture.run(["games", "create", "ember"]);
  const run = async (...argv: string[]) => (await fixture.run([...argv, "--game", "ember"])).json;
  const variants = ["--variant", "a", "--variant", "b"];
  ids = {
    ptb: (await run("batches", "create", "Alpha")).batch.id,
    sess: (await run("sessions", "add", "--source", "obs")).session.id,
    exp: (await run("experiments", "create", "Caves", ...variants)).experiment.id,
  };
});

/** Every command that changes what an id names, and its exit code with the whole id. */
const changes: readonly (readonly [kind: keyof typeof ids, line: string, after: string, code: number])[] = [
  ["ptb", "batches add-keys", "--generate 1", 0],
  ["ptb", "batches invite", "wren@x.test", 45],
  ["ptb", "batches open-invite", "tvi_0", 44],
  ["ptb", "batches redeem", "", 45],
  ["ptb", "batches revoke-key", "ptk_0 --yes", 44],
  ["sess", "sessions retry", "", 2],
  ["sess", "sessions transcript", "said.txt", 0],
  ["sess", "sessions delete", "--yes", 0],
  ["exp", "experiments start", "", 0],
  ["exp", "experiments stop", "", 45],
  ["exp", "experiments resume", "", 45],
  ["exp", "experiments winner", "a", 45],
  ["exp", "experiments allocate", "a=1 b=99", 0],
  ["exp", "experiments configure", "a.speed=3", 0],
  ["exp", "experiments delete", "--yes", 0],
  ["exp", "digests generate", "", 0],
];
const nouns = { ptb: "batch", sess: "session", exp: "experiment" };

/** Runs a command. With typed keys, at a terminal. */
async function change(line: string, id: string, after: string, typed?: string): Promise<CliRun> {
  const argv = ["admin", ...line.split(" "), id, ...after.split(" ").filter(Boolean), "--game", "ember"];
  const { folder, file, clock } = fixture;
  const terminal = typed === undefined ? {} : { tty: true, typed };
  return await runCli([...argv, "--database", file], { home: folder, cwd: folder, clock, ...terminal });
}

const listChanges = async () => (await fixture.run(["audit", "list", "--all"])).json.items.length as number;

describe.each(changes)("%s: admin %s", (kind, line, after, code) => {
  test("changes nothing for the beginning of an id, except with a confirmation at a terminal", async () => {
    const id = ids[kind];
    const [short, eight] = [id.slice(0, kind.length + 2), id.slice(0, kind.length + 9)];
    const before = await listChanges();
    for (const [text, typed] of [
      [short, undefined],
      [short, "y\n"],
      [id.slice(0, kind.length + 8), "y\n"],
      [eight, undefined],
      [id.slice(0, -1), undefined],
    ] as const) {
      const refused = await change(line, text, after, typed);
      // At a terminal, the lines are wrapped.
      expect([text, typed, refused.code, refused.err.replace(/\s+/g, " ")]).toEqual([
        text,
        typed,
        2,
        `error: "${text}" is not a whole ${nouns[kind]} id ` +
          `hint: Commands that change data need the whole id. Matching ids: ${id}. At a terminal, you can also confirm ` +
          `the first 8 or more characters after ${kind}_ `,
      ]);
    }
    const no = await change(line, eight, after, "n\n");
    expect([no.code, no.err]).toEqual([130, expect.stringContaining("Cancelled. Nothing was changed.")]);
    expect(no.progress).toContain(`Use the ${nouns[kind]} ${id}?`);
    expect(await listChanges()).toBe(before);
    const confirmed = await change(line, eight, after, "y\n");
    expect([confirmed.code, confirmed.err]).toEqual([code, expect.not.stringContaining(`"${eight}"`)]);
  });
});

test("one confirmed id does not confirm another", async () => {
  const other = (await fixture.run(["sessions", "add", "--game", "ember", "--notes", "x"])).json.session.id;
  const [one, two] = [ids.sess.slice(0, 13), other.slice(0, 13)];
  const refused = await change("sessions delete", one, `${two} --yes`, "y\nn\n");
  expect(refused.code).toBe(130);
  const deleted = await change("sessions delete", one, `${two} --yes --json`, "y\ny\n");
  expect(JSON.parse(deleted.out).deleted).toEqual([ids.sess, other]);
});

test("--yes confirms a deletion, and not the id", async () => {
  expect((await change("experiments delete", ids.exp.slice(0, 12), "--yes", "n\n")).code).toBe(130);
  expect((await change("experiments delete", ids.exp.slice(0, 12), "", "y\nn\n")).code).toBe(130);
  expect((await change("experiments delete", ids.exp.slice(0, 12), "", "y\ny\n")).code).toBe(0);
});

test("an unknown id is not found, and not taken for the beginning of one", async () => {
  const { code, err } = await change("batches add-keys", "ptb_zz", "--generate 1");
  expect([code, err]).toEqual([44, expect.stringContaining("No batch ptb_zz in ember")]);
});

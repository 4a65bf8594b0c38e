/** Every page names a command that shows the same: its JSON is what the command prints with --json, whatever the parameters. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allPages } from "../../src/console/all-pages.ts";
import { startDemo } from "../cli/demo.ts";
import { createAppTransport, runCli, type TestService } from "../harness.ts";
import { addressesOf, type Names } from "./addresses.ts";
import { crawl, listLinks } from "./crawl.ts";
import { readDemoNames } from "./demo-names.ts";
import { signIn } from "./harness.ts";
import { openPage, toAddress } from "./open-page.ts";

let service: TestService;
let names: Names;

beforeAll(async () => {
  service = await startDemo("studio", { console: { identity: null } });
  names = await readDemoNames(service);
});

afterAll(async () => {
  await service.stop();
});

/** Splits a command line as a POSIX shell does, for the quoting that pages use. */
function splitCommand(line: string): string[] {
  const words = line.match(/(?:[^\s']|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll("'", ""));
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** The arguments of the commands that a page names: of its parts, then of the whole page. */
function readCommands(html: string): string[][] {
  const lines = [...html.matchAll(/In a terminal: <code>([^<]*)<\/code>/g)].map(([, line = ""]) =>
    splitCommand(line.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? "")),
  );
  return lines.map(([program, ...args]) => {
    expect(program).toBe("playtest");
    return args;
  });
}

/** The times that API requests ask for. */
const listTimes = (requests: Iterable<string>): string[] => [
  ...new Set([...requests].flatMap((request) => request.match(/(?<=[?&])(from|to|lastSeen\w+)=\d+/g) ?? [])),
];

/** Runs a command. Returns its output with the API requests that it sent. */
async function run(args: readonly string[]) {
  const requests: string[] = [];
  const send = createAppTransport(service.app);
  const { code, out, err } = await runCli(args, {
    service,
    transport: async (request) => {
      requests.push(toAddress(request.url));
      return await send(request);
    },
  });
  return { code, out, err, requests };
}

describe.each(allPages.map((page) => [page.path, page] as const))("%s", (_path, page) => {
  test("names the command that prints its JSON, and the commands of its parts", async () => {
    for (const address of addressesOf(page, names)) {
      const { status, text, requests } = await openPage(service, address);
      expect([address, status]).toEqual([address, 200]);
      const [whole = [], ...parts] = readCommands(text).reverse();
      // The zone in which the command line shows and reads times changes nothing.
      const command = await run(["--tz", "Asia/Tokyo", "--json", ...whole]);
      expect([address, command.code, command.err]).toEqual([address, 0, ""]);
      expect([address, ...listTimes(command.requests)]).toEqual([address, ...listTimes(requests)]);
      const json = await openPage(service, `${address}${address.includes("?") ? "&" : "?"}format=json`);
      expect([address, JSON.parse(json.text)]).toEqual([address, JSON.parse(command.out)]);
      for (const part of parts) {
        const answer = await run([...part, "--json"]);
        expect([address, part, answer.code, answer.err]).toEqual([address, part, 0, ""]);
        // The part shows what the command shows, because it was read with the same requests.
        // Only a command asks what the service announces.
        for (const request of answer.requests.filter((path) => path !== "/api/v1/games"))
          expect([address, ...requests]).toContain(request);
      }
    }
  });
});

test("the worst moment of a session to watch leads to the events around it", async () => {
  const { text } = await openPage(service, "/games/ember/sessions?sort=watch&build=0.9.0");
  const [link = ""] = listLinks(text).filter((href) => href.includes("around=ins_"));
  expect(link).toMatch(/^\/games\/ember\/sessions\/sess_\w+\?around=ins_\w+#events$/);
  const opened = await openPage(service, link.replace("#events", ""));
  expect([opened.status, opened.text]).toEqual([200, expect.stringContaining("Events around “")]);
});

test.each(["sessions", "insights", "feedback", "crashes", "heatmap", "events", "dropoff"])(
  "%s accepts latest and previous for a build",
  async (list) => {
    for (const [word, version] of [
      ["latest", names.build],
      ["previous", names.before],
    ]) {
      const { status, text } = await openPage(service, `/games/ember/${list}?build=${word}`);
      const whole = readCommands(text).at(-1)?.join(" ");
      expect([list, word, status, whole]).toEqual([list, word, 200, expect.stringContaining(` ${version}`)]);
    }
  },
);

test("links lead to all kinds of pages, and every linked page exists", async () => {
  const cookie = await signIn(service);
  const kinds = new Set<string>();
  for await (const { path, kind, page } of crawl(service, cookie, 4)) {
    expect([path, page.status]).toEqual([path, 200]);
    kinds.add(kind);
  }
  const all = allPages.map(({ path }) => path.replace("{game}", "*").replaceAll(/\{\w+\}/g, "*"));
  expect([...kinds].sort()).toEqual(all.sort());
});

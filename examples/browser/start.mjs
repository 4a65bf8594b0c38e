/** Serves the sample game on this machine, with the service and the ingest key of the environment. PORT sets the port. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { transform } from "esbuild";

const { PLAYTEST_BASE_URL: baseUrl, PLAYTEST_INGEST_KEY: key } = process.env;
if (!baseUrl || !key) {
  console.error("Set PLAYTEST_BASE_URL and PLAYTEST_INGEST_KEY to what `playtest server start` printed.");
  process.exit(2);
}

const here = import.meta.dirname;
const readClient = async () => {
  const source = await readFile(join(here, "..", "..", "clients", "typescript", "playtest.ts"), "utf8");
  return (await transform(source, { loader: "ts" })).code;
};
/** The content of each path, and its type. */
const files = {
  "/": ["text/html", () => readFile(join(here, "index.html"))],
  "/game.js": ["text/javascript", () => readFile(join(here, "game.js"))],
  "/playtest.js": ["text/javascript", readClient],
  // The ingest key is public: whoever has a game has its key.
  "/settings.json": ["application/json", async () => JSON.stringify({ baseUrl, key })],
};

const server = createServer(async ({ url = "/" }, response) => {
  const [type, read] = files[url.split("?")[0]] ?? [];
  if (!read) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(await read());
});
server.listen(Number(process.env.PORT ?? 4401), "127.0.0.1", () => {
  console.log(`Play on http://127.0.0.1:${server.address().port}/ (Ctrl-C stops)`);
});

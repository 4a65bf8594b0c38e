/**
 * The baseline server for comparisons, with node:http only. It parses POST bodies with JSON.parse, validates their events
 * with `--check`, and stores nothing. It responds to GET with the bytes from standard input, and prints its URL.
 */
import { createServer } from "node:http";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const answer = Buffer.concat(chunks);
const type = { "content-type": "application/json; charset=utf-8" };

const isWord = (value, max) =>
  typeof value === "string" &&
  value.length >= 1 &&
  value.length <= max &&
  !value.includes("\0") &&
  value.isWellFormed();

const isValid = ({ id, name, timestamp, data }) =>
  isWord(id, 64) &&
  isWord(name, 120) &&
  Number.isSafeInteger(timestamp) &&
  timestamp >= 0 &&
  (data === undefined || (typeof data === "object" && data !== null && !Array.isArray(data)));

const count = process.argv.includes("--check")
  ? (events) => events.filter(isValid).length
  : (events) => events.length;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { ...type, "content-length": answer.length });
    response.end(answer);
    return;
  }
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const { events } = JSON.parse(Buffer.concat(parts).toString("utf8"));
    const receipt = JSON.stringify({ accepted: count(events) });
    response.writeHead(202, { ...type, "content-length": Buffer.byteLength(receipt) });
    response.end(receipt);
  });
});
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);

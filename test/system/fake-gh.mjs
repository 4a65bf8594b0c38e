/**
 * A `gh` for tests: the requests of GitHub CLI that read and write comments, on a JSON file instead of GitHub. The file
 * contains the viewer and the comments. `gh api graphql --paginate` reads pages of 100, and --jq filters each page.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { loadJq } from "jq-wasm/inline";

const file = process.env.FAKE_GH_STATE;
const state = JSON.parse(readFileSync(file, "utf8"));
const [, , command, ...words] = process.argv;

const refuse = (message) => {
  process.stderr.write(`gh: ${message}\n`);
  process.exit(1);
};

/** The flags, and the fields of -f and -F. With -F, `@file` is the content of a file. */
function parse(argv) {
  const parsed = { fields: {}, paths: [], paginate: false, silent: false, jq: null, method: null };
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at];
    if (word === "-f" || word === "-F") {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(argv[++at]);
      parsed.fields[name] =
        word === "-F" && value.startsWith("@") ? readFileSync(value.slice(1), "utf8") : value;
    } else if (word === "--paginate" || word === "--silent") parsed[word.slice(2)] = true;
    else if (word === "--jq" || word === "--method") parsed[word.slice(2)] = argv[++at];
    else if (word.startsWith("-")) refuse(`unknown flag: ${word}`);
    else parsed.paths.push(word);
  }
  return parsed;
}

if (command !== "api") refuse(`unknown command: ${command}`);
if (process.env.GH_TOKEN !== state.token) refuse("HTTP 401: Bad credentials");
if (process.env.GH_HOST !== "github.com") refuse(`unknown host: ${process.env.GH_HOST}`);
const { fields, paths, paginate, jq, method } = parse(words);
const [path] = paths;
const save = () => writeFileSync(file, JSON.stringify(state));

/** Pages of comments in the form of the query. */
function listComments() {
  const { owner, name, number, query } = fields;
  if (`${owner}/${name}#${number}` !== state.pullRequest) refuse("Could not resolve to a PullRequest");
  for (const field of ["viewerDidAuthor", "body", "hasNextPage", "endCursor", "$endCursor: String"])
    if (!query.includes(field)) refuse(`the query lacks ${field}`);
  const pages = [];
  for (let from = 0; from === 0 || (paginate && from < state.comments.length); from += 100) {
    const nodes = state.comments.slice(from, from + 100).map(({ id, author, body }) => {
      return { id, viewerDidAuthor: author === state.viewer, body };
    });
    const pageInfo = { hasNextPage: from + 100 < state.comments.length, endCursor: String(from + 100) };
    pages.push({ data: { repository: { pullRequest: { comments: { nodes, pageInfo } } } } });
  }
  return pages;
}

if (state.readOnly && (method === "POST" || fields.query?.startsWith("mutation")))
  refuse("HTTP 403: Resource not accessible by integration");
else if (path === "graphql" && fields.query.startsWith("query")) {
  const engine = await loadJq();
  for (const page of listComments()) {
    const { stdout, stderr, exitCode } = engine.raw(JSON.stringify(page), jq, ["-r"]);
    if (exitCode !== 0) refuse(stderr);
    if (stdout !== "") process.stdout.write(stdout.endsWith("\n") ? stdout : `${stdout}\n`);
  }
} else if (path === "graphql" && fields.query.includes("updateIssueComment")) {
  const comment = state.comments.find(({ id }) => id === fields.id);
  if (comment?.author !== state.viewer) refuse("HTTP 403: must be the author");
  comment.body = fields.body;
  save();
} else if (method === "POST") {
  const [, repository, number] =
    /^repos\/(.+)\/issues\/(\d+)\/comments$/.exec(path) ?? refuse(`no path ${path}`);
  if (`${repository}#${number}` !== state.pullRequest) refuse("HTTP 404: Not Found");
  state.comments.push({ id: `IC_${state.comments.length}`, author: state.viewer, body: fields.body });
  save();
} else refuse(`unexpected request: ${words.join(" ")}`);

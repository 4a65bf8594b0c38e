/** Commit statuses, as GitHub's API takes them: https://docs.github.com/en/rest/commits/statuses */
import { toLine, type WebhookMessage } from "./message.ts";

/** The longest description, in characters. */
const MAX_DESCRIPTION = 140;
/** The name of a status, which replaces those of the same name. */
const CONTEXT = "playtest";

/** Whether a text is the whole hash of a commit: SHA-1, or SHA-256. */
export const isCommit = (text: string): boolean =>
  (text.length === 40 || text.length === 64) && /^[0-9a-f]+$/.test(text);

/** What follows the URL of a repository. */
export const toStatusPath = (commit: string): string => `/statuses/${commit}`;

/** Whether a URL is that of a repository in GitHub's API. GitHub Enterprise has a prefix before `/repos`. */
export function isRepositoryUrl({ pathname, search, hash }: URL): boolean {
  const path = pathname.startsWith("/api/v3/") ? pathname.slice("/api/v3".length) : pathname;
  const [empty, repos, owner = "", name = "", ...rest] = path.split("/");
  const isName = (text: string) => /^[\w.-]+$/.test(text);
  const isPath = empty === "" && repos === "repos" && isName(owner) && isName(name) && rest.length === 0;
  return isPath && search === "" && hash === "";
}

/** The headers of a request. */
export const commitStatusHeaders = (token: string): Record<string, string> => ({
  accept: "application/vnd.github+json",
  authorization: `Bearer ${token}`,
  "x-github-api-version": "2022-11-28",
});

interface StatusData {
  readonly status?: string;
  readonly answer?: string;
  readonly context?: string;
}

/** The body of a status. An event that is no gate is shown as passed, because it can fail no commit. */
export function renderCommitStatus({ data, title }: WebhookMessage): object {
  const { status = "success", answer = title, context = CONTEXT } = data as StatusData;
  return { state: status, description: toLine(answer, MAX_DESCRIPTION), context };
}

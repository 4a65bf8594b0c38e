/** Reads what the testers of builds did, and which of them a scorecard compares. */
import { type BuildFacts, type getBuildFacts, MAX_TESTER_PAGE } from "../contract/build-facts.ts";
import type { Input } from "../contract/define.ts";
import { readGroup } from "../scorecard/build-scorecard.ts";
import type { ComparedFacts, ReadFacts, UnknownFacts } from "../scorecard/facts.ts";
import { ClientError, type ClientErrorCode } from "./errors.ts";
import { computeMaxItems, endlessListError } from "./paging.ts";

type FactsInput = Omit<Input<typeof getBuildFacts>, "limit" | "offset">;
/** Reads one page. */
export type ReadFactsPage = (input: Input<typeof getBuildFacts>) => Promise<BuildFacts>;

/** Reads all testers of a build in one answer. Throws `contract` if the service reports more testers but returns none. */
export async function readAllFacts(readPage: ReadFactsPage, build: FactsInput): Promise<BuildFacts> {
  const pages = await readPages((offset) => readPage({ ...build, limit: MAX_TESTER_PAGE, offset }));
  const fields = new Map(pages.flatMap((page) => page.fields).map((field) => [field.field, field]));
  const versions = new Set(pages.flatMap((page) => page.analysisVersions));
  return {
    ...pages[0],
    analysisVersions: [...versions].sort((x, y) => x - y),
    testers: pages.flatMap(({ testers }) => testers),
    fields: [...fields.values()],
    hasMore: false,
  };
}

/** Reads all pages, of which there is at least one. */
async function readPages(
  readFrom: (offset: number) => Promise<BuildFacts>,
): Promise<[BuildFacts, ...BuildFacts[]]> {
  const first = await readFrom(0);
  const pages: [BuildFacts, ...BuildFacts[]] = [first];
  const maxTesters = computeMaxItems(first.total);
  let testers = first.testers.length;
  for (let page = first; page.hasMore; testers += page.testers.length) {
    if (page.testers.length === 0) {
      const message = `The service reports more testers after tester ${testers} but returns none`;
      throw new ClientError("contract", message);
    }
    if (testers > maxTesters) throw endlessListError(testers);
    page = await readFrom(testers);
    pages.push(page);
  }
  return pages;
}

/** Reads the testers of a build that are compared. Throws like `readAllFacts`. */
export const readBuildFacts = async (readPage: ReadFactsPage, build: FactsInput): Promise<ReadFacts> =>
  readGroup(await readAllFacts(readPage, build));

/** Errors that leave the rest of a comparison usable. */
const reasons: Partial<Record<ClientErrorCode, UnknownFacts>> = {
  unsupported: "unsupported",
  forbidden: "forbidden",
  contract: "invalid",
};

/** Reads the facts of a build. Returns the reason if the service does not report them, or not to this key. */
export async function readOptionalFacts(
  readPage: ReadFactsPage,
  build: FactsInput,
): Promise<ReadFacts | UnknownFacts> {
  try {
    return await readBuildFacts(readPage, build);
  } catch (error) {
    const reason = error instanceof ClientError ? reasons[error.code] : undefined;
    if (reason === undefined) throw error;
    return reason;
  }
}

/** Reads the facts of both builds, or why they are not known. */
export async function readComparedFacts(
  readPage: ReadFactsPage,
  {
    a,
    b,
    ...scope
  }: { readonly game: string; readonly a: string; readonly b: string; readonly env?: string | undefined },
): Promise<ComparedFacts> {
  const before = await readOptionalFacts(readPage, { ...scope, version: a });
  if (typeof before === "string" || a === b)
    return typeof before === "string" ? before : { a: before, b: before };
  const after = await readOptionalFacts(readPage, { ...scope, version: b });
  return typeof after === "string" ? after : { a: before, b: after };
}

/** Reads what the testers of a build did, and which of them a scorecard compares. */
import { type BuildFacts, type getBuildFacts, MAX_TESTER_PAGE } from "../contract/build-facts.ts";
import type { Input } from "../contract/define.ts";
import { readGroup } from "../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../scorecard/facts.ts";
import { ClientError } from "./errors.ts";
import { computeMaxItems, endlessListError } from "./paging.ts";

type FactsInput = Omit<Input<typeof getBuildFacts>, "limit" | "offset">;
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

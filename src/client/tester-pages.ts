/** Reads the pages of the testers of a build. */
import { ClientError } from "./errors.ts";
import { computeMaxItems, endlessListError } from "./paging.ts";

interface TesterPage {
  readonly testers: readonly unknown[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** Reads all pages, of which there is at least one. Throws `contract` if the service reports more testers but returns none. */
export async function readTesterPages<Page extends TesterPage>(
  readFrom: (offset: number) => Promise<Page>,
): Promise<[Page, ...Page[]]> {
  const first = await readFrom(0);
  const pages: [Page, ...Page[]] = [first];
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

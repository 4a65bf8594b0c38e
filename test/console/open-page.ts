/** Opens pages without cookies, and records the API requests that they send. */
import { createPages } from "../../src/console/pages.ts";
import type { TestService } from "../harness.ts";

export interface OpenedPage {
  readonly status: number;
  readonly text: string;
  /** The paths and queries of the API requests, in the order of the first. */
  readonly requests: ReadonlySet<string>;
}

/** The path and query of a URL. */
export const toAddress = (url: string) => url.replace(/^http:\/\/[^/]+/, "");

/** Opens a page on behalf of the management key. */
export async function openPage(
  service: Pick<TestService, "app" | "keys" | "clock">,
  address: string,
): Promise<OpenedPage> {
  const requests = new Set<string>();
  const headers = { authorization: `Bearer ${service.keys.management}` };
  const answer = await showPage(address, service.clock.now, async (request) => {
    requests.add(toAddress(request.url));
    return await service.app.fetch(new Request(request, { headers }));
  });
  return { ...answer, requests };
}

/** Shows a page whose API requests are answered by a function. */
export async function showPage(
  address: string,
  now: number,
  fetch: (request: Request) => Promise<Response>,
): Promise<Pick<OpenedPage, "status" | "text">> {
  const [path = "", query = ""] = address.split("?");
  return await createPages().show({
    ...{ path, query, reader: null, now, fetch },
    report(error) {
      throw error;
    },
  });
}

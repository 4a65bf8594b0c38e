/** A service that has only what the API document lists: no extension endpoints or parameters, and no announcement. */

import type { Transport } from "../src/client/transport.ts";
import { EXTENSIONS_HEADER } from "../src/contract/announcement.ts";
import { ENDPOINT_HEADER } from "../src/contract/define.ts";
import { endpoints } from "../src/contract/index.ts";
import { createRouter } from "../src/server/http/routes.ts";

const route = createRouter(Object.values(endpoints));

/** A path of the API that no service has. */
const UNKNOWN_PATH = "/api/v1/unknown";

/** Sends requests to a service as if it had no extensions: their paths are unknown, and their parameters are ignored. */
export function withoutExtensions(transport: Transport): Transport {
  return async (request) => {
    const url = new URL(request.url);
    const endpoint = route(url.pathname)?.byMethod.get(request.method);
    if (endpoint?.extension) url.pathname = UNKNOWN_PATH;
    for (const parameter of endpoint?.extensions ?? []) url.searchParams.delete(parameter);
    const { headers, ...response } = await transport({ ...request, url: String(url) });
    const { [EXTENSIONS_HEADER]: _extensions, [ENDPOINT_HEADER]: _endpoint, ...rest } = headers;
    return { ...response, headers: rest };
  };
}

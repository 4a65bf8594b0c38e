/** The step that answers people who open the server in a browser. */
import type { Step } from "../context.ts";

/** Answers pages and files of the console. Comes before the limit of addresses, because pages have their own limit. */
export const answerConsole: Step = async (exchange, app) =>
  app.console && (await app.console.handles(exchange)) ? await app.console.answer(exchange) : null;

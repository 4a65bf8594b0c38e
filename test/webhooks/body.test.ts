/** Tests of the bodies of webhooks: the event as JSON, and messages for Slack and Discord without markup of others. */
import { describe, expect, test } from "vitest";
import { detectFormat, renderBody } from "../../src/webhooks/body.ts";
import type { BodyFormat, WebhookMessage } from "../../src/webhooks/message.ts";

const message: WebhookMessage = {
  type: "bug-report",
  timestamp: Date.UTC(2026, 2, 1, 12),
  data: { bugReport: { id: "bug_1" } },
  title: "Bug report: door",
  lines: ["Ember Hollow", "Severity high"],
  command: "playtest sessions get sess_1",
  tone: "bad",
};

const render = (format: BodyFormat, more: Partial<WebhookMessage> = {}) =>
  JSON.parse(renderBody(format, { ...message, ...more }));

const ATTACK =
  "<!channel> <@U1> <https://evil.test|click> & *b* _i_ ~s~ `c` > q [x](https://evil.test) @everyone\n# h\u202e\u0007";

describe("a body", () => {
  test("is the type, the time and the data in JSON", () => {
    expect(render("json")).toEqual({
      type: "bug-report",
      timestamp: "2026-03-01T12:00:00.000Z",
      data: { bugReport: { id: "bug_1" } },
    });
  });

  test("for Slack has blocks, and a text for notifications", () => {
    expect(render("slack")).toEqual({
      text: "Bug report: door",
      blocks: [
        {
          type: "section",
          text: { type: "mrkdwn", text: "*Bug report: door*\nEmber Hollow\nSeverity high", verbatim: true },
        },
        {
          type: "context",
          elements: [{ type: "mrkdwn", text: "`playtest sessions get sess_1`", verbatim: true }],
        },
      ],
    });
    expect(render("slack", { command: null }).blocks).toHaveLength(1);
  });

  test("for Slack contains no mention, link or format of a tester", () => {
    const body = render("slack", { title: ATTACK, lines: [ATTACK], command: `a \`${ATTACK}` });
    const [section, context] = body.blocks;
    const own = { section: section.text.text, context: context.elements[0].text, text: body.text };
    expect(JSON.stringify(own)).not.toMatch(/[<>]|[\u202e\u0007]/);
    expect(own.section.replace(/^\*|\*$/gm, "")).not.toMatch(/[*~`]|\b_|_\b/);
    expect(own.context.slice(1, -1)).not.toContain("`");
    expect(own.section.split("\n")).toHaveLength(2);
    expect(own.section).toContain("&lt;!channel&gt;");
  });

  test("for Discord has an embed, and mentions nobody", () => {
    expect(render("discord")).toEqual({
      embeds: [
        {
          title: "Bug report\\: door",
          description: "Ember Hollow\nSeverity high\n`playtest sessions get sess_1`",
          color: 0xc62828,
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  test("for Discord escapes every punctuation mark of a tester", () => {
    const { embeds } = render("discord", { title: ATTACK, lines: [ATTACK], command: null });
    const [{ title, description }] = embeds;
    for (const text of [title, description]) {
      expect(text.replace(/\\[!-/:-@[-`{-~]/g, "")).toMatch(/^[A-Za-z0-9 …]*$/);
    }
  });

  test("stays within the limits of Slack and Discord, however long the texts are", () => {
    const long = { title: "<".repeat(9000), lines: Array.from({ length: 99 }, () => "*".repeat(9000)) };
    const slack = render("slack", long);
    for (const { text } of [slack.blocks[0]]) expect(text.text.length).toBeLessThanOrEqual(3000);
    const [embed] = render("discord", long).embeds;
    expect(embed.title.length).toBeLessThanOrEqual(256);
    expect(embed.description.length).toBeLessThanOrEqual(4096);
    const entities = render("slack", { lines: Array.from({ length: 9 }, () => "&".repeat(9000)) });
    expect(entities.blocks[0].text.text.length).toBeLessThanOrEqual(3000);
  });
});

test("the format depends on the host", () => {
  const urls = {
    "https://hooks.slack.com/services/T/B/X": "slack",
    "https://discord.com/api/webhooks/1/x": "discord",
    "https://example.com/hooks.slack.com": "json",
    "https://hooks.slack.com.example.com/": "json",
  };
  for (const [url, format] of Object.entries(urls)) expect(detectFormat(new URL(url))).toBe(format);
});

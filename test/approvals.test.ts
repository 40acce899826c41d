/**
 * Every display that asks a person for an approval shows what was asked, with marks that can be undone. A display
 * without room for all says so, and takes no approval.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { taskDocument } from "../src/api/documents/task-document.ts"
import { pushNotice } from "../src/features/hooks/push/send-push.ts"
import {
  type NoticeFormat,
  noticeRequest,
  noticeText,
} from "../src/features/hooks/rules/notices.ts"
import { asking } from "../src/features/links/action-page.ts"
import { describeUse } from "../src/features/permissions/rules.ts"
import { deliverReply } from "../src/features/sources/chat/deliver-reply.ts"
import { questionNote } from "../src/features/sources/chat/rules/notes.ts"
import { trustLines } from "../src/features/trust/command.ts"
import { textOfBytes } from "../src/features/trust/find-unapproved.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { findTask } from "../src/kernel/tasks/rows/find.ts"
import { askQuestion } from "../src/kernel/tasks/rows/questions/ask.ts"
import { findQuestion } from "../src/kernel/tasks/rows/questions/list.ts"
import { ALLOW, DENY, type Question } from "../src/kernel/tasks/rules/question.ts"
import { taskCard } from "../src/surfaces/cli/format/card.ts"
import { formatEvent } from "../src/surfaces/cli/format/progress.ts"
import { questionLines } from "../src/surfaces/cli/format/questions.ts"
import { Output } from "../src/surfaces/cli/output.ts"
import { confirmIn } from "../src/surfaces/mcp/confirm.ts"
import { DECIDING } from "../src/surfaces/mcp/deciding-tools.ts"
import { ROOT } from "./support/source.ts"
import { addSampleTask, forceState } from "./support/store.ts"

const PIECES = [
  ..."\n\r\t \\/<>&@:'\"`|.x\u202e\x1b\u200b\ud800\udc80é🌳",
  ...[
    "\ud800",
    "\\u{202e}",
    "\\u{a}",
    "u{a}",
    "```",
    "://",
    "&lt;",
    "\n  | ",
    "\n> ",
    "‹",
    "…",
    "⏎",
  ],
]
const text = fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 30 })
const LONG = `make${" ".repeat(20_000)}; evil`

const unmarked = (shown: string) =>
  shown
    .replaceAll("⏎", "\n")
    .replaceAll(/\\u\{([\da-f]+)\}/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
const unquoted = (shown: string) => unmarked(shown.replaceAll("\n  | ", "\n"))
const between = (all: string, before: string, after: string) => {
  const from = all.indexOf(before) + before.length
  return all.slice(from, after === "" ? undefined : all.lastIndexOf(after))
}
/** As a browser reads it, which drops a line break at the start of a block. */
const read = (html: string) =>
  html
    .replace(/^\n/, "")
    .replaceAll(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => ENTITIES[entity]!)
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'" },
}

let written = ""
const write = (more: string) => {
  written += more
}
const stdout = { write } as never
const output = new Output({ stdout, stderr: stdout }, { json: false, env: {} })
/** As the command line writes it. */
const printed = (lines: readonly string[]) => {
  written = ""
  output.lines(lines)
  return written.slice(0, -1)
}

const questionOf = (asked: string): Question => ({
  ...{ id: 4, task: 2 as Question["task"], turn: 1, kind: "permission", text: asked },
  ...{ choices: [ALLOW, DENY], subject: null, askedAtMs: 0, answer: null },
  ...{ answeredAtMs: null, closedAtMs: null },
})
const documentOf = (asked: string) =>
  ({ ...questionOf(asked), id: "4", task: "2", askedAt: "" }) as never
const task = { id: "2", title: "T", state: "working" }
const reason = (asked: string) => ({ code: "asked", text: asked })
const notice = (format: NoticeFormat, asked: string) =>
  noticeRequest(format, noticeText({ ...task, reason: reason(asked) }), undefined, true).body
const TOLD = "Task 2 needs you: T: "

async function dialog(asked: string): Promise<string> {
  let message = ""
  const server = {
    getClientCapabilities: () => ({ elicitation: {} }),
    elicitInput: async (form: { message: string }) => {
      message = form.message
      return { action: "accept", content: { decision: "yes" } }
    },
  }
  const client = {
    ...{ show: async () => task, questions: async () => ({ questions: [documentOf(asked)] }) },
    answer: async () => task,
  }
  const { signal } = new AbortController()
  const confirm = (shown: never) => confirmIn(server as never, shown, signal)
  const call = { client, confirm, cwd: "/", signal, report: async () => {} }
  await DECIDING.answer.run(call as never, { task: "2", question: 4, answer: "allow" } as never)
  return message
}

/** The compiler must not follow these: React's types have empty elements where those of the DOM are missing. */
const PAGE = [join(ROOT, "dashboard/src/subject.tsx"), "react", "react-dom/server"]

async function component(name: string, props: object): Promise<string> {
  const modules = PAGE.map((module) => import(/* @vite-ignore */ module))
  const [page, { createElement }, { renderToStaticMarkup }] = await Promise.all(modules)
  return renderToStaticMarkup(createElement(page[name], props))
}

const db = openDb(":memory:")
const world = { nowMs: () => 0, dice: () => 0, point: () => {} }
const { id } = addSampleTask(db)

function planCard(plan: string): string {
  const facts = { findRest: () => null, findStep: () => null, findBounds: () => [] }
  const rows = { db, world, ...facts, findWait: () => undefined, features: [] }
  const document = taskDocument(rows as never, findTask(db, id)!)
  const shown = { text: plan, id: "p", mode: "approve", by: null } as const
  return printed(taskCard(output, { ...document, plan: shown } as never, 0))
}

/** Each gives back what was asked, from all that it shows. */
const WHOLE: Readonly<Record<string, (asked: string) => string | Promise<string>>> = {
  "coppice answer, show and ls --watch": (asked) =>
    unquoted(
      between(
        printed(questionLines({ questions: [documentOf(asked)], ofSubTasks: [] })),
        "Question 4: ",
        "\n  1. allow",
      ),
    ),
  "coppice run and watch": (asked) => {
    const data = { kind: "permission", text: asked, choices: [ALLOW, DENY] }
    const event = { seq: 1, at: "2026-01-01T00:00:00Z", type: "question.asked", task: "2", data }
    return unquoted(between(printed(formatEvent(output, event)), "asks: ", " (1: allow, 2: deny)"))
  },
  "coppice mcp": async (asked) =>
    unmarked(between(await dialog(asked), "It asks:\n> ", "\n  1. allow").replaceAll("\n> ", "\n")),
  "the page behind a notification": (asked) => {
    const html = asking(
      { action: "answer", subject: { question: 4 } },
      task as never,
      questionOf(asked),
    )
    return unmarked(read(between(html, "<pre>", "</pre><pre>")))
  },
  "the page behind a notification, for a plan": (plan) => {
    const html = asking(
      { action: "approve", subject: { plan: "" } },
      { ...task, plan } as never,
      undefined,
    )
    return unmarked(read(between(html, "<pre>", "</pre><form")))
  },
  "the dashboard, for a tool": async (command) => {
    const html = await component("ToolUse", { use: { tool: "Bash", input: { command } } })
    const shown = unmarked(read(between(html, '<pre class="subject">', "</pre>")))
    return command === "" || (shown !== command && shown.startsWith('"'))
      ? JSON.parse(shown)
      : shown
  },
  "the dashboard, for a plan and a proposal": async (plan) =>
    unmarked(
      read(between(await component("Words", { text: plan }), '<pre class="subject">', "</pre>")),
    ),
  "coppice show, for a plan": (plan) => plan && unquoted(between(planCard(plan), "\n\n  | ", "")),
  "coppice trust": (what) => {
    const document = {
      path: "f",
      home: "h",
      config: [{ where: "k", what }],
      changed: false,
      git: [],
    }
    return unquoted(between(printed(trustLines(output, document as never)), "  k: ", ""))
  },
}

/** The same for those with little room. */
const SHORT: Readonly<Record<string, (asked: string) => string>> = {
  Slack: (asked) => {
    const { text: shown } = JSON.parse(notice("slack", asked))
    return unmarked(read(shown).slice(1, -1)).replace(TOLD, "")
  },
  Discord: (asked) =>
    unmarked(JSON.parse(notice("discord", asked)).content.slice(1, -1)).replace(TOLD, ""),
  ntfy: (asked) => unmarked(notice("ntfy", asked)).replace(TOLD, ""),
  "a desktop": (asked) => unmarked(notice("desktop", asked)).replace(TOLD, ""),
  "a push message": (asked) =>
    unmarked(pushNotice({ ...task, reason: reason(asked) }, []).body).replace(TOLD, ""),
  "a chat": (asked) =>
    unmarked(between(questionNote(questionOf(asked)), "```\n", "\n1. allow\n2. deny\n```")),
}

describe("the display, with its marks undone, is what was asked [36.5]", () => {
  test.each(Object.entries({ ...WHOLE, ...SHORT }))("%s", async (_, shown) => {
    await fc.assert(
      fc.asyncProperty(text, async (asked) => {
        expect(await shown(asked)).toBe(asked)
      }),
    )
  })
})

test.each(Object.entries(WHOLE))("%s shows all of a long text [36.5]", async (name, shown) => {
  if (name === "coppice mcp") return await expect(shown(LONG)).rejects.toThrow("too long")
  expect(await shown(LONG)).toBe(LONG)
})

test.each(Object.entries(SHORT))(
  "%s says how much of a long text is missing [36.6]",
  (_, shown) => {
    const kept = /^(make *)… \((\d+) more bytes\)/.exec(shown(LONG))
    expect(Number(kept?.[2]) + (kept?.[1]?.length ?? 0)).toBeGreaterThanOrEqual(LONG.length)
  },
)

test("a reply in a chat allows only what its note showed in full, and denies anything [36.6]", async () => {
  for (const [asked, said, answer] of [
    ["ls", "yes", ALLOW],
    [LONG, "no", DENY],
    [LONG, "yes", null],
  ] as const) {
    const { id: of } = addSampleTask(db)
    forceState(db, of, "working")
    const facts = { turn: 1, kind: "permission", choices: [ALLOW, DENY], subject: null } as const
    const question = askQuestion(db, { ...facts, task: of, text: asked }, 1)
    const reply = {
      id: "1",
      author: "ada",
      text: said,
      laterNotes: [],
      asked: new Map([[question.id, "k"]]),
    }
    const delivered = deliverReply({ db, world } as never, { id: of }, reply, () => {})
    if (answer === null) await expect(delivered).rejects.toThrow("you cannot allow it here")
    else await delivered
    expect(findQuestion(db, question.id)?.answer).toBe(answer)
  }
})

test("two uses of a tool never read the same [36.5]", () => {
  const input = fc.dictionary(fc.constantFrom("command", "a", 'b"'), fc.oneof(text, fc.array(text)))
  const use = fc.record({ tool: fc.constantFrom("Bash", "Bash: x", "x\n"), input })
  fc.assert(
    fc.property(use, use, (one, other) => {
      if (describeUse(one) === describeUse(other)) expect(one).toEqual(other)
    }),
  )
  const faked = { tool: "Bash", input: { command: 'make\n  "a": "x"' } }
  expect(describeUse(faked)).not.toBe(
    describeUse({ tool: "Bash", input: { command: "make", a: "x" } }),
  )
})

test("a value and the text that looks like it are told apart on the dashboard [36.5]", async () => {
  const shown = (a: unknown) => component("ToolUse", { use: { tool: "x", input: { a } } })
  for (const value of [true, 1, null, ["x"], { y: 1 }])
    expect(await shown(value)).not.toBe(await shown(JSON.stringify(value, null, 2)))
})

test("settings of git that are no UTF-8 look different, each byte with a mark [32.11]", () => {
  const bytes = fc.string({
    unit: fc.constantFrom("x", "\xff", "\xc3", "\xa9", "\xef", "\xbf", "\xbd"),
  })
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      if (one !== other) expect(textOfBytes(one)).not.toBe(textOfBytes(other))
    }),
  )
  expect(textOfBytes("\xc3\xa9")).toBe("é")
})

test("no box of the dashboard hides a part of what a person approves [36.5]", () => {
  const css = readFileSync(join(ROOT, "dashboard/src/style.css"), "utf8")
  expect(/\n\.subject \{[^}]*\}/.exec(css)?.[0]).not.toMatch(/max-height|overflow:|line-clamp/)
})

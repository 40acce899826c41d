/**
 * The pages behind the addresses in notifications: one asks a person to confirm, the other says what
 * was done.
 *
 * Programs that preview links fetch every address, so a GET changes nothing. There is no script and no
 * session: the address is the right to act. Text of others is escaped, and hidden characters are shown as numbers.
 */
import { createHash } from "node:crypto"
import type { FastifyInstance, FastifyReply } from "fastify"
import type { Fleet } from "../../api/fleet.ts"
import { statusOf } from "../../api/server/answer-error.ts"
import { PUBLIC_BYTES_MAX } from "../../api/server/dashboard.ts"
import { parse } from "../../api/server/routes.ts"
import { LinkForm } from "../../api/wire/browser.ts"
import { AppError } from "../../base/errors.ts"
import { reveal } from "../../base/text/shown.ts"
import { findQuestion } from "../../kernel/tasks/rows/questions/list.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { Question } from "../../kernel/tasks/rules/question.ts"
import { actOnLink, findOpenLink } from "./act-on-link.ts"
import { LINK_PATH } from "./link-codes.ts"
import type { ActionLink } from "./rows.ts"

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { max-width: 40rem; margin: 0 auto; padding: 1rem }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .75rem; border: 1px solid }
  textarea { display: block; box-sizing: border-box; width: 100%; font: inherit }
  button { font: inherit; padding: .5rem 1rem; margin: .5rem .5rem .5rem 0 }
`
const HEADERS = {
  "content-security-policy": [
    ...["default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  ].join("; "),
  // With `no-referrer`, the form would send no origin. `same-origin` sends other sites nothing either.
  "referrer-policy": "same-origin",
  "x-robots-tag": "noindex",
}

type ByCode = { Params: { code: string }; Body: unknown }

export function actionPages(server: FastifyInstance, fleet: Fleet): void {
  const config = { isPublic: true }
  const at = `${LINK_PATH}:code`
  void server.register((pages, _options, done) => {
    // Only here: no other route accepts what a form on another site can send.
    pages.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string" },
      async (_request: unknown, text: string | Buffer) =>
        Object.fromEntries(new URLSearchParams(String(text))),
    )
    pages.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof AppError) || error.blame === "bug") throw error
      const hints = error.hints.map((hint) => `<p>${shown(hint)}</p>`).join("")
      const body = `<h1>Nothing was done</h1><p>${shown(error.message)}</p>${hints}`
      return send(reply.status(statusOf(error)), body)
    })
    pages.get<ByCode>(at, { config }, async ({ params }, reply) =>
      send(reply, question(fleet, params.code)),
    )
    pages.post<ByCode>(
      at,
      { config, bodyLimit: PUBLIC_BYTES_MAX },
      async ({ params, body }, reply) => {
        const { words } = parse(LinkForm, body ?? {})
        const { link, task } = await actOnLink(
          fleet,
          params.code,
          words.replaceAll("\r\n", "\n").trim(),
        )
        const done = { approve: "Approved", reject: "Sent back", answer: "Answered" }[link.action]
        return send(reply, `<h1>${done}</h1><p>Task ${task.id}: ${shown(task.title)}</p>`)
      },
    )
    done()
  })
}

const send = (reply: FastifyReply, content: string): FastifyReply =>
  reply
    .headers(HEADERS)
    .type("text/html; charset=utf-8")
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Coppice</title>` +
        `<meta name="viewport" content="width=device-width, initial-scale=1">` +
        `<style>${STYLE}</style></head><body><main>${content}</main></body></html>`,
    )

function question({ db, world }: Fleet, code: string): string {
  const { link, task } = findOpenLink({ db, world }, code)
  const { subject } = link
  return asking(link, task, "question" in subject ? findQuestion(db, subject.question) : undefined)
}

/**
 * The page that asks a person to confirm, or to answer.
 *
 * @param asked the question, if it is about one; undefined: it was deleted just now.
 */
export function asking(
  { action, subject }: Pick<ActionLink, "action" | "subject">,
  task: Pick<Task, "id" | "title" | "plan">,
  asked: Question | undefined,
): string {
  const head = `<p>Task ${task.id}: ${shown(task.title)}</p>`
  const page = `<p><a href="/#/task/${task.id}">The page of the task</a></p>`
  if ("question" in subject) return `<h1>Answer</h1>${head}${answerForm(asked)}${page}`
  const what =
    "plan" in subject ? pre(task.plan ?? "") : `<ul>${subject.commits.map(commit).join("")}</ul>`
  const name = action === "approve" ? "Approve" : "Reject"
  const feedback = action === "reject" ? field("Your feedback, if any") : ""
  return `<h1>${name}?</h1>${head}${what}${form(`${feedback}<button>${name}</button>`)}${page}`
}

function answerForm(asked: Question | undefined): string {
  const { kind = "question", text = "", choices = [] } = asked ?? {}
  const given = {
    question: choices,
    permission: ["allow", "deny"],
    proposal: ["accept", "decline"],
  }
  const buttons = given[kind].map(
    (one) => `<button name="words" value="${shown(one)}">${shown(one)}</button>`,
  )
  const details = kind === "question" ? "" : pre(JSON.stringify(asked?.subject, null, 2))
  const own = kind === "question" ? form(`${field("Your answer")}<button>Answer</button>`) : ""
  return `${pre(text)}${details}${buttons.length > 0 ? form(buttons.join("")) : ""}${own}`
}

type Commit = { readonly name: string; readonly head: string; readonly base: string }

const commit = ({ name, head, base }: Commit) =>
  `<li>${shown(name)}: <code>${shown(base.slice(0, 12))}..${shown(head.slice(0, 12))}</code></li>`
/** Without `action`, a form goes to the address of its page. */
const form = (content: string) => `<form method="post">${content}</form>`
const field = (label: string) =>
  `<label>${label}<textarea name="words" rows="4"></textarea></label>`
/** A browser drops the first line break. */
const pre = (text: string) => `<pre>\n${shown(text)}</pre>`

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" } as const
const shown = (text: string) =>
  reveal(text).replace(/[&<>"']/g, (letter) => ENTITIES[letter as keyof typeof ENTITIES])

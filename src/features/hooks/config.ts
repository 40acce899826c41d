/** `agents.*.hooks` of coppice.yml: commands and web requests before a run and after events. */
import { z } from "zod"
import { duration } from "../../config/measures.ts"
import { command, text, webAddress } from "../../config/value-kinds.ts"
import type { HookConfig } from "./rules.ts"

const headerName = text.regex(/^[A-Za-z0-9-]+$/, "is not a name of a header")
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, "must be plain text in one line")

const fields = {
  command: command.optional(),
  url: webAddress.optional(),
  headers: z.record(headerName, headerValue).default({}),
  secret: text.optional(),
  when: text.optional(),
  timeout: duration("30s"),
}

type Fields = z.infer<z.ZodObject<typeof fields>>

function refuseMixed({ command, url, secret, headers }: Fields, context: z.RefinementCtx): void {
  const wrong = (key: string, message: string) =>
    context.addIssue({ code: "custom", path: [key], message })
  if (command === undefined && url === undefined)
    wrong("command", "is missing: a hook has a `command` or a `url`")
  if (command === undefined) return
  if (url !== undefined) wrong("url", "does not go with `command`")
  if (secret !== undefined) wrong("secret", "is only for a `url`")
  if (Object.keys(headers).length > 0) wrong("headers", "are only for a `url`")
}

const event = text.regex(/^[a-z_.*]+$/, "is no name of events, such as task.*")
/** A hook that follows events, and changes no task. */
const hook = z
  .strictObject({ ...fields, on_events: z.array(event).optional() })
  .superRefine(refuseMixed)
/** A hook that an agent waits for. */
const firstHook = z
  .strictObject({ ...fields, continue_on_error: z.boolean().default(false) })
  .superRefine(refuseMixed)

const NOTICES = ["desktop", "ntfy", "slack", "discord", "webhook"] as const

/** A part of `notify`: tells a person that a task needs them. */
export const NoticeFile = z
  .strictObject({
    type: z.enum(NOTICES),
    url: webAddress.optional(),
    headers: z.record(headerName, headerValue).default({}),
    secret: text.optional(),
  })
  .superRefine(({ type, url }, context) => {
    const isDesktop = type === "desktop"
    const message = isDesktop ? "is not for the desktop" : `is missing: the address of ${type}`
    if (isDesktop === (url !== undefined))
      context.addIssue({ code: "custom", path: ["url"], message })
  })

export function resolveNotice(file: z.infer<typeof NoticeFile>): HookConfig {
  const { type, url, headers, secret } = file
  const format = type === "webhook" ? "facts" : type
  const always = { kind: "notify", command: undefined, events: undefined } as const
  const rest = { when: "task.attention", timeoutMs: 30_000, continuesOnError: true }
  return { ...always, ...rest, format, url, headers, secret }
}

export const HooksFile = z.strictObject({
  before_run: z.array(firstHook).default([]),
  after_run: z.array(hook).default([]),
  on_error: z.array(hook).default([]),
})

export function resolveHooks(file: z.infer<typeof HooksFile>): readonly HookConfig[] {
  const first = file.before_run.map((one) => ({
    ...common(one),
    kind: "before_run" as const,
    events: undefined,
    continuesOnError: one.continue_on_error,
  }))
  const others = (["after_run", "on_error"] as const).flatMap((kind) =>
    file[kind].map((one) => ({
      ...common(one),
      kind,
      events: one.on_events,
      continuesOnError: true,
    })),
  )
  return [...first, ...others]
}

const common = ({ command, url, headers, secret, when, timeout: timeoutMs }: Fields) =>
  ({ format: "facts", command, url, headers, secret, when, timeoutMs }) as const

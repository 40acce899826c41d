/** `sources` of coppice.yml: trackers, chats and folders whose items become tasks. */
import { z } from "zod"
import { isSecret } from "../../base/text/secrets.ts"
import { span } from "../../config/measures.ts"
import { count, flag, text } from "../../config/value-kinds.ts"

/** The keys that each type needs, and those that it may have as well. */
const TRACKER = {
  needs: ["repo"],
  may: ["api_url", "token_variable", "labels", "authors", "on_failure"],
} as const
/** Gitea has no single public host, so the address is needed. */
const GITEA = {
  needs: ["repo", "api_url"],
  may: ["token_variable", "labels", "authors", "on_failure"],
} as const
/** Only listed people give tasks in a chat, since every member of a channel can write there. */
const CHAT = {
  needs: ["channel", "authors"],
  may: ["api_url", "token_variable", "mention", "session_expires"],
} as const
const KEYS = {
  files: { needs: ["folder"], may: [] },
  github: TRACKER,
  gitlab: TRACKER,
  gitea: GITEA,
  linear: { needs: ["team"], may: [...TRACKER.may, "states", "project"] },
  jira: { needs: ["project", "api_url"], may: [...TRACKER.may, "states", "email"] },
  slack: CHAT,
  discord: CHAT,
} as const
const TYPES = Object.keys(KEYS) as (keyof typeof KEYS)[]
const OF_TYPES = [
  ...["path", "folder", "repo", "team", "project", "channel", ...TRACKER.may],
  ...["states", "email", "mention", "session_expires"],
] as const

const label = text.refine((name) => !/[,\p{Cc}]/u.test(name), "must be a label without commas")

/** A source reads only files of the home. */
const folder = text.refine(
  (path) => !path.startsWith("/") && !path.split("/").includes(".."),
  "must be a folder inside the home",
)

const project = text.refine(
  (path) =>
    /^[\w.-]+(\/[\w.-]+)+$/.test(path) && !path.split("/").some((part) => /^\.+$/.test(part)),
  "must be an owner and a name, such as acme/app",
)

/** Such as `ENG`, for the issue `ENG-17`. */
const KEY_NEEDED = "must be the key before the number of its issues, such as ENG"
const key = text.regex(/^[A-Z][A-Z0-9_]{0,19}$/, KEY_NEEDED)

/** The token is sent there, so only this computer or an encrypted connection is allowed. */
export const apiUrl = text.refine((url) => {
  const { protocol, hostname, username, password } = URL.parse(url) ?? {}
  const isOwn = protocol === "http:" && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(hostname ?? "")
  return (protocol === "https:" || isOwn) && username === "" && password === ""
}, "must be an https address, without a password")

/** Such a variable reaches no agent, and no value of coppice.yml may refer to it. */
export const tokenVariable = text.refine(
  isSecret,
  "must be named like a token, such as GITHUB_BOT_TOKEN, so that Coppice keeps it from agents",
)

export const source = z
  .strictObject({
    /** features/sources/rules/workflow-sources.ts replaces `workflow` by the contents of a file before this schema. */
    type: z.enum([...TYPES, "workflow"]),
    path: folder.optional(),
    agent: text.optional(),
    folder: folder.optional(),
    repo: project.optional(),
    team: key.optional(),
    project: text.regex(/^[\w-]+$/, "must be the key or the slug of a project").optional(),
    channel: text.regex(/^\w+$/, "must be the id of a channel, such as C0123ABCD").optional(),
    mention: z.boolean().optional(),
    session_expires: span.optional(),
    api_url: apiUrl.optional(),
    token_variable: tokenVariable.optional(),
    email: text.optional(),
    labels: z.strictObject({ ready: label.optional(), in_progress: label.optional() }).optional(),
    states: z
      .strictObject({
        ready: text.or(z.array(text).min(1)),
        in_progress: text,
        done: text.optional(),
      })
      .optional(),
    authors: z
      .union([z.enum(["members", "anyone"]), z.array(text)], {
        error: "must be `members`, `anyone` or a list of names",
      })
      .optional(),
    interval: span.optional(),
    max_open: count(1).prefault(4),
    land: z.enum(["merge", "approve", "pr", "none"]).optional(),
    prompt: text.optional(),
    ready_again: flag(true),
    on_failure: z.enum(["hold", "release"]).optional(),
  })
  .superRefine((source, context) => {
    const wrong = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message })
    if (source.type === "workflow")
      return source.path === undefined
        ? wrong("type", "`workflow` is for `sources` alone")
        : wrong("path", `cannot be used: ${source.path}`)
    const { needs, may } = KEYS[source.type]
    for (const key of needs)
      if (source[key as keyof typeof source] === undefined)
        wrong(key, `is needed with \`type: ${source.type}\``)
    const known: readonly string[] = [...needs, ...may]
    for (const key of OF_TYPES)
      if (source[key] !== undefined && !known.includes(key))
        wrong(key, `is not for \`type: ${source.type}\``)
    const { ready, in_progress: inProgress } = labelsOf(source)
    if (ready === inProgress) wrong("labels", "must be two different labels")
    if (source.type === "jira" && /\s/.test(ready + inProgress))
      wrong("labels", "must be without spaces, as Jira's are")
    // Only GitLab has groups within groups.
    if (source.type !== "gitlab" && (source.repo?.split("/").length ?? 2) > 2)
      wrong("repo", "must be an owner and a name, such as acme/app: no more parts")
    const { states } = source
    if (states && source.labels) wrong("states", "takes the place of `labels`: set one of them")
    const others = [states?.in_progress, states?.done]
    if (states && readyStates(states).some((state) => others.includes(state)))
      wrong("states", "must be different from `ready`")
    if (isChat(source) && source.authors !== undefined && !Array.isArray(source.authors))
      wrong("authors", "must be a list of ids of users in a chat")
    if (source.type === "jira" && !key.safeParse(source.project).success)
      wrong("project", KEY_NEEDED)
  })

/** Whether the source's threads are conversations with tasks. */
export const isChat = ({ type }: { readonly type: string }): boolean =>
  type === "slack" || type === "discord"

/** `ready` may be one state without a list. */
export function readyStates({ ready }: { readonly ready: string | readonly string[] }) {
  const [first = "", ...rest] = typeof ready === "string" ? [ready] : ready
  return [first, ...rest] as const
}

type Labelled = {
  readonly type: string
  readonly labels?:
    | { readonly ready?: string | undefined; readonly in_progress?: string | undefined }
    | undefined
}

/** The labels of a source. A label in Jira has no spaces. */
export function labelsOf({ type, labels = {} }: Labelled) {
  const inProgress = type === "jira" ? "coppice-in-progress" : "coppice: in progress"
  return { ready: labels.ready ?? "coppice", in_progress: labels.in_progress ?? inProgress }
}

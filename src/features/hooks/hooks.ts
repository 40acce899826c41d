/**
 * Runs the hooks of coppice.yml: each follows the events from a cursor of its own in the store.
 *
 * The cursor moves when a hook is done with an event. So every event is delivered at least once, even
 * if the daemon is killed. A hook changes no task; its failure is an event.
 */

import type { DocumentRows } from "../../api/documents/feature-parts.ts"
import { eventDocument } from "../../api/documents/row-documents.ts"
import { taskDocument } from "../../api/documents/task-document.ts"
import type { EventDocument } from "../../api/wire/events.ts"
import type { TaskDocument } from "../../api/wire/tasks.ts"
import { type RetryPolicy, retryDelayMs } from "../../base/retry.ts"
import type { Config } from "../../config/config.ts"
import { followConfig } from "../../config/live/follow-config.ts"
import type { LiveConfig } from "../../config/live/live-config.ts"
import type { FleetRows } from "../../kernel/home.ts"
import type { ProcessOwner } from "../../kernel/process/owner.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"
import { findEventCursor, listEventsOf } from "../../kernel/store/events.ts"
import { StoreLoop } from "../../kernel/store/loop.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listLinkSubjects } from "../links/link-subjects.ts"
import { noticeLinks, pageOf } from "../links/notice-links.ts"
import { resolveNotice } from "./config.ts"
import type { PostPush } from "./push/endpoint.ts"
import {
  listPushSubscriptions,
  type PushSubscription,
  removePushSubscription,
} from "./push/rows.ts"
import { pushNotice, sendPush } from "./push/send-push.ts"
import {
  alignHooks,
  findHookCursor,
  type HookCursor,
  type HookEnd,
  passEvents,
  postponeHook,
  recordHookEnd,
} from "./rows.ts"
import { asksPerson, type NoticeLinks, noticeRequest, noticeText } from "./rules/notices.ts"
import { type HookConfig, hasFact, nameHooks, startsHook, typesOf } from "./rules.ts"
import { runHookCommand } from "./run-command.ts"
import { type Sent, sendEvent, sentOf, unsent } from "./send-request.ts"

/** A server that is down is tried for about three hours. */
const RETRIES: RetryPolicy = { attemptsMax: 14, delayMsMin: 2_000, delayMsMax: 30 * 60_000 }
/** Events that are read at a time. */
const PAGE = 50

export type HooksContext = FleetRows & {
  readonly home: string
  readonly owner: ProcessOwner
  readonly live: Pick<LiveConfig, "current" | "isUnapproved">
  readonly post: PostPush
  /** The daemon's own address. */
  address(): string
  /** For the documents of tasks. */
  readonly rows: DocumentRows
}

/** Without `agent`, the hook follows the tasks of all agents. */
type Hook = HookConfig & {
  readonly agent: string | undefined
  readonly key: string
  /** The message goes there, not to an address of coppice.yml. */
  readonly browser?: PushSubscription
}

type Facts = {
  readonly event: EventDocument
  readonly task: TaskDocument
  readonly home: string
  /** Only for a place of `notify`. Null: the task is gone. */
  readonly links?: NoticeLinks | null
}

type ToDeliver = { readonly event: StoredEvent; readonly facts: Facts }
type Body = { readonly body: string }

const SCRIPT = [
  "on run argv",
  'display notification (item 1 of argv) with title "Coppice"',
  "end run",
]

/** The text is an argument of its own, whatever it holds. */
const desktopCommand = (text: string): readonly string[] =>
  process.platform === "darwin"
    ? ["osascript", ...SCRIPT.flatMap((line) => ["-e", line]), text]
    : ["notify-send", "--app-name=Coppice", "--", "Coppice", text]

const GONE = [404, 410]
const TO_BROWSER = resolveNotice({ type: "webhook", headers: {} })

/** No agent's name holds a space. */
const nameOfNotice = (name: string, hook: HookConfig): string =>
  nameHooks(`notify ${name}`, [hook]).join()

export class Hooks {
  readonly #context: HooksContext
  readonly #loop: StoreLoop<string>
  readonly #onError: (hook: string | undefined, error: unknown) => void
  /** The last event that was searched, by hook: the cursor itself moves with a delivery. */
  readonly #searched = new Map<string, number>()
  #hooks: readonly Hook[] = []
  #unfollow = () => {}

  constructor(context: HooksContext, onError: (hook: string | undefined, error: unknown) => void) {
    this.#context = context
    this.#onError = onError
    this.#loop = new StoreLoop<string>(context.db, {
      onError,
      list: (busy) => {
        if (context.live.isUnapproved) return []
        const free = this.#hooks.filter(({ key }) => !busy.has(key) && !this.#waits(key))
        return free.filter((hook) => this.#findNext(hook)).map(({ key }) => key)
      },
      drive: (key, signal) => this.#drive(key, signal),
      isWithdrawn: (key) => !this.#hooks.some((hook) => hook.key === key),
      wakeInMs: (busy) => this.#wakeInMs(busy),
      neverGivesUp: () => true,
    })
  }

  start(): void {
    const { live, world } = this.#context
    this.#unfollow = followConfig({
      live,
      nowMs: () => world.nowMs(),
      apply: (config) => this.#align(config),
      onError: (error) => this.#onError(undefined, error),
    })
    this.#loop.start()
  }

  async stop(): Promise<void> {
    this.#unfollow()
    await this.#loop.stop()
  }

  /** Called when a browser was added or removed. */
  refresh(): void {
    if (!this.#context.live.isUnapproved) this.#align(this.#context.live.current)
  }

  #align({ agents, notify }: Config): void {
    const hooks: Hook[] = agents.flatMap(({ name: agent, hooks }) => {
      const following = hooks.filter(({ kind }) => kind !== "before_run")
      const names = nameHooks(agent, following)
      return following.map((hook, n) => ({ ...hook, agent, key: names[n] ?? agent }))
    })
    for (const { name, ...hook } of notify)
      hooks.push({ ...hook, agent: undefined, key: nameOfNotice(name, hook) })
    for (const { id, ...browser } of listPushSubscriptions(this.#context.db))
      hooks.push({ ...TO_BROWSER, agent: undefined, key: `push ${id}`, browser })
    const keys = hooks.map(({ key }) => key)
    alignHooks(this.#context.db, keys)
    this.#hooks = hooks
  }

  #cursor(key: string): HookCursor | undefined {
    const { db, world } = this.#context
    return findHookCursor(db, key, world.nowMs())
  }

  #waits(key: string): boolean {
    return typeof this.#cursor(key)?.retryAtMs === "number"
  }

  #wakeInMs(busy: ReadonlySet<string>): number | undefined {
    const nowMs = this.#context.world.nowMs()
    const free = this.#hooks.filter(({ key }) => !busy.has(key))
    const waits = free.flatMap(({ key }) => this.#cursor(key)?.retryAtMs ?? [])
    return waits.length > 0 ? Math.min(...waits) - nowMs : undefined
  }

  #findNext(hook: Hook): StoredEvent | undefined {
    const { db } = this.#context
    const cursor = this.#cursor(hook.key)
    if (!cursor) return undefined
    let after = Math.max(cursor.seq, this.#searched.get(hook.key) ?? 0)
    for (;;) {
      const end = findEventCursor(db, undefined, 1)
      const page = listEventsOf(db, typesOf(hook), { after, limit: PAGE })
      const found = page.find((event) => this.#isMeant(hook, event))
      if (found) return found
      after = page.length < PAGE ? Math.max(after, end, page.at(-1)?.seq ?? 0) : page.at(-1)!.seq
      this.#searched.set(hook.key, after)
      if (page.length < PAGE) return undefined
    }
  }

  #isMeant(hook: Hook, event: StoredEvent): boolean {
    if (event.task === null || !startsHook(hook, event)) return false
    const task = findTask(this.#context.db, event.task)
    return task !== undefined && (hook.agent === undefined || task.agent === hook.agent)
  }

  /** Delivers all that is due, one event after another. */
  async #drive(key: string, signal: AbortSignal): Promise<void> {
    const { db } = this.#context
    while (!signal.aborted) {
      const hook = this.#hooks.find((one) => one.key === key)
      const event = hook && !this.#waits(key) ? this.#findNext(hook) : undefined
      if (!hook || !event) return
      const facts = this.#factsOf(event)
      if (!facts) passEvents(db, key, event.seq)
      else if (hasFact(facts, hook.when)) await this.#deliver(hook, { event, facts }, signal)
      else this.#skip(hook, event)
    }
  }

  #factsOf(event: StoredEvent): Facts | undefined {
    const { rows } = this.#context
    const task = findTask(rows.db, event.task)
    return (
      task && {
        event: eventDocument(event),
        task: taskDocument(rows, task),
        home: this.#context.home,
      }
    )
  }

  #skip({ key, when }: Hook, { seq }: StoredEvent): void {
    const { db, world } = this.#context
    const end = { hook: key, seq, type: "hook.skipped", data: { when } } as const
    recordHookEnd(db, end, world.nowMs())
  }

  #requestOf(hook: Hook, { event, facts }: ToDeliver): Pick<HookConfig, "url" | "headers"> & Body {
    const { format, kind, url, headers } = hook
    const links = kind === "notify" ? this.#linksFor(format, event) : undefined
    if (format === "facts") {
      const all = kind === "notify" ? { ...facts, links: links ?? null } : facts
      return { body: JSON.stringify(all), url, headers }
    }
    const request = noticeRequest(format, noticeText(facts.task), links, asksPerson(facts.task))
    const to = new URL(url ?? "http://localhost")
    if (request.query) to.searchParams.set(...request.query)
    return { body: request.body, url: to.href, headers: { ...request.headers, ...headers } }
  }

  /** Only this machine reaches the daemon's own address. Other users may see such a notice, so no act is in it. */
  #linksFor(format: HookConfig["format"], event: StoredEvent): NoticeLinks | undefined {
    const { live, address, ...rows } = this.#context
    const task = findTask(rows.db, event.task)
    const origin = live.current.dashboard.url
    if (!task) return undefined
    return format === "desktop" || origin === undefined
      ? { page: pageOf(address(), task), actions: [] }
      : noticeLinks(rows, { task, origin, event })
  }

  async #deliver(hook: Hook, { event, facts }: ToDeliver, signal: AbortSignal): Promise<void> {
    const { db, world } = this.#context
    if (hook.browser) {
      this.#record(hook, event, await this.#push(hook.browser, { event, facts }, signal))
      return this.refresh()
    }
    const { body, ...to } = this.#requestOf(hook, { event, facts })
    const { format } = hook
    const command = format === "desktop" ? desktopCommand(body) : hook.command
    const end = (type: HookEnd["type"], data: HookEnd["data"]) =>
      recordHookEnd(db, { hook: hook.key, seq: event.seq, type, data }, world.nowMs())
    if (command !== undefined) {
      const toRun = { command, body, event: event.type, task: event.task, signal }
      const ran = await runHookCommand(this.#context, hook, toRun)
      if (ran.kind === "aborted") return
      return end(ran.code === 0 ? "hook.ran" : "hook.failed", ran)
    }
    const delivery = { id: `${event.seq}`, type: event.type, body, nowMs: world.nowMs(), signal }
    this.#record(hook, event, await sendEvent({ ...hook, ...to }, delivery))
  }

  /** A browser that has withdrawn its subscription is forgotten. */
  async #push(browser: PushSubscription, { event, facts }: ToDeliver, signal: AbortSignal) {
    const { db, live, post, world } = this.#context
    const task = findTask(db, event.task)
    const notice = pushNotice(facts.task, task ? listLinkSubjects(db, task) : [])
    const subject = live.current.dashboard.url
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TO_BROWSER.timeoutMs)])
    try {
      const answer = await sendPush(db, browser, notice, { post, subject, signal: limit })
      if (GONE.includes(answer.status)) removePushSubscription(db, browser.endpoint)
      return sentOf(answer, world.nowMs())
    } catch (error) {
      return unsent(error, signal)
    }
  }

  #record(hook: Hook, event: StoredEvent, sent: Sent): void {
    const { db, world } = this.#context
    const end = (type: HookEnd["type"], data: HookEnd["data"]) =>
      recordHookEnd(db, { hook: hook.key, seq: event.seq, type, data }, world.nowMs())
    const failures = (this.#cursor(hook.key)?.failures ?? 0) + 1
    const delayMs = sent.kind === "failed" ? retryDelayMs(RETRIES, failures, 1) : undefined
    if (sent.kind === "ok") end("hook.ran", { status: sent.status })
    else if (delayMs === undefined || sent.kind === "refused")
      end("hook.failed", { text: sent.text })
    else {
      const retryAtMs = world.nowMs() + Math.max(delayMs, sent.retryAfterMs ?? 0)
      const failure = { hook: hook.key, seq: event.seq, text: sent.text, retryAtMs }
      postponeHook(db, failure, world.nowMs())
    }
  }
}

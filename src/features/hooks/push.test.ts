/** Notifications by Web Push follow the events as those of coppice.yml do. */
import { expect, test } from "vitest"
import { PushService } from "../../../test/support/push-service.ts"
import { addSampleTask } from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import { parseConfig } from "../../config/parse.ts"
import { listEvents } from "../../kernel/store/events.ts"
import { openDb } from "../../kernel/store/open.ts"
import { recordTask } from "../../kernel/tasks/rows/record.ts"
import { Hooks } from "./hooks.ts"
import { addPushSubscription, listPushSubscriptions } from "./push/rows.ts"
import { pushKeys } from "./push/send-push.ts"

class Pushing implements AsyncDisposable {
  readonly db = openDb(":memory:")
  readonly service: PushService
  readonly hooks: Hooks

  constructor(service: PushService) {
    this.service = service
    const { db } = this
    const parsed = parseConfig("version: 1", {}, "app")
    if (parsed.kind !== "ok") throw new Error("the configuration is wrong")
    const world = { nowMs: Date.now, dice: () => 0, point: () => {} }
    const facts = {
      findRest: () => null,
      findStep: () => null,
      findBounds: () => [],
      findWait: () => undefined,
      features: [],
    }
    const rows = { db, world, ...facts }
    const live = { current: parsed.config, isUnapproved: false }
    const owner = undefined as never // no command is run
    const { post } = service
    const context = { db, world, home: "/home", owner, live, rows, post, address: () => "" }
    this.hooks = new Hooks(context, (_hook, error) => {
      throw error
    })
    this.hooks.start()
  }

  subscribe(): void {
    const { endpoint, p256dh, auth } = this.service
    addPushSubscription(this.db, { endpoint, p256dh, auth })
    this.hooks.refresh()
  }

  /** Lets a task need a person. */
  stop(title: string): void {
    const task = addSampleTask(this.db, { title })
    recordTask(this.db, task, { event: "gotStuck", reason: { code: "failed", text: "why" } }, 1_000)
  }

  async ended(type: string) {
    return await waitFor(type, () =>
      listEvents(this.db, { after: 0, limit: 500 }).find((event) => event.type === type),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hooks.stop()
    await this.service[Symbol.asyncDispose]()
  }
}

test("a browser gets what needs a person, encrypted for it alone, from now on [38.19]", async () => {
  await using it = new Pushing(await PushService.start())
  it.stop("Before")
  it.subscribe()
  it.stop("After\u202e")
  const [first] = await it.service.until(1)
  expect(JSON.parse(first!.text)).toEqual({
    title: "Coppice",
    body: "Task 2 needs you: After: why",
    tag: "task-2",
    path: "/#/task/2",
    actions: [],
  })
  expect(first!.key).toBe(pushKeys(it.db).publicKey)
  expect(first!.claims).toMatchObject({ aud: "https://push.example.net" })
  const { data } = await it.ended("hook.ran")
  expect(JSON.stringify(data)).not.toContain("push.example.net")
  expect(it.service.got).toHaveLength(1)
})

test("a push service that is busy is asked again [38.19]", async () => {
  await using it = new Pushing(await PushService.start())
  it.subscribe()
  it.service.answers.push({ status: 429, headers: { "retry-after": "1" } }, { status: 503 })
  it.stop("Later")
  const got = await it.service.until(3)
  expect(new Set(got.map(({ text }) => text)).size).toBe(1)
  await it.ended("hook.ran")
})

test.each([404, 410])(
  "a browser whose subscription is gone (%s) is forgotten [38.19]",
  async (status) => {
    await using it = new Pushing(await PushService.start())
    it.subscribe()
    it.service.answers.push({ status })
    it.stop("Gone")
    await it.ended("hook.failed")
    await waitFor("no subscription", () => listPushSubscriptions(it.db).length === 0)
    it.stop("Again")
    expect(it.service.got).toHaveLength(1)
  },
)

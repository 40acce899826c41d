/** Drives the sources of a home, each on its own, and records the results of their tasks. */
import { randomUUID } from "node:crypto"
import { iso } from "../../api/documents/row-documents.ts"
import { assert } from "../../base/assert.ts"
import type { SourceConfig } from "../../config/config.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { onNews } from "../../kernel/store/commit-news.ts"
import { type Creator, createTask } from "../../kernel/tasks/actions/create-task.ts"
import { findRequestedTask } from "../../kernel/tasks/rows/add.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { setPrompt } from "../../kernel/tasks/rows/texts.ts"
import { addChatThread } from "./chat/rows.ts"
import { ThreadDriver } from "./chat/thread-driver.ts"
import { isChat } from "./config.ts"
import { workItemPrompt, workItemTitle } from "./prompts.ts"
import { findItemOfTask, listSourceItems, recordSourceItem, type SourceItem } from "./rows.ts"
import { resultOf, workItemOf } from "./rules/source-item.ts"
import type { Item, Source } from "./source.ts"
import { SourceDriver } from "./source-driver.ts"
import type { SourceDocument, SourcesDocument } from "./wire.ts"

/** The time between two looks for sources that are due. */
const POLL_MS = 1_000

export type LoopParts = {
  readonly fleet: Creator
  createSource(config: SourceConfig): Source
  onError(error: unknown): void
}

type Created = Awaited<ReturnType<typeof createTask>>

type Driven = {
  /** The source's configuration as text: a changed one gets a new driver. */
  readonly key: string
  readonly driver: SourceDriver
  readonly source: Source
  readonly config: SourceConfig
  /** The source's tasks since the last poll that was asked for. */
  readonly created: Created[]
  /** The key of the request that asked for a poll, for its first task. */
  request: string | undefined
  step: Promise<void> | undefined
}

export class SourceLoop {
  readonly #parts: LoopParts
  readonly #driven = new Map<string, Driven>()
  readonly #ending = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #unsubscribe = () => {}

  constructor(parts: LoopParts) {
    this.#parts = parts
  }

  start(): void {
    const look = () => {
      this.#soon = undefined
      this.#guarded(() => this.#settle())
    }
    this.#unsubscribe = onNews(this.#parts.fleet.db, () => {
      this.#soon ??= setImmediate(look)
    })
    this.#timer = setInterval(() => this.#guarded(() => this.tick()), POLL_MS)
    this.#guarded(() => this.tick())
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    clearImmediate(this.#soon)
    this.#unsubscribe()
    this.#ending.abort()
    await Promise.all([...this.#driven.values()].map(({ step }) => step))
  }

  /** Starts what is due. @returns a promise that settles when it is done. */
  async tick(): Promise<void> {
    this.#settle()
    const { sources } = this.#parts.fleet.config()
    const names = sources.map(({ name }) => name)
    for (const [name, { step }] of this.#driven)
      if (!names.includes(name) && step === undefined) this.#driven.delete(name)
    const all = sources.map((config) => this.#find(config))
    await Promise.all(all.map((one) => this.#step(one)))
  }

  /**
   * Polls a source now.
   *
   * @param key of the request; its first task gets it.
   * @returns the tasks of its new items; none if the request has a task.
   * @throws {DaemonError} `source.unusable` (world) if it cannot be polled. It is tried again later.
   */
  async poll(name: string, key?: string): Promise<readonly Created[]> {
    const config = this.#parts.fleet.config().sources.find((one) => one.name === name)
    assert(config, "a schedule's source is configured")
    const one = this.#find(config)
    await one.step
    if (findRequestedTask(this.#parts.fleet.db, key)) return []
    one.created.length = 0
    one.request = key
    one.driver.want()
    while (one.driver.isWanted) {
      await this.#step(one)
      const { error } = one.driver.describe()
      if (error !== null)
        throw new DaemonError("source.unusable", `The source ${name} cannot be used: ${error}`)
      this.#ending.signal.throwIfAborted()
    }
    return [...one.created]
  }

  #step(one: Driven): Promise<void> {
    one.step ??= one.driver.step(this.#ending.signal).finally(() => {
      one.step = undefined
    })
    return one.step
  }

  get isUsed(): boolean {
    return this.#driven.size > 0
  }

  describe(): SourcesDocument {
    const rows = listSourceItems(this.#parts.fleet.db)
    return {
      ...this.describeAll(),
      items: rows.map(({ source, item, state, task, updatedAtMs }) => {
        return {
          source,
          item,
          state,
          task: task === null ? null : String(task),
          since: iso(updatedAtMs),
        }
      }),
    }
  }

  /** Without their items. */
  describeAll(): Pick<SourcesDocument, "sources"> {
    return { sources: [...this.#driven.values()].map(({ driver }) => driver.describe()) }
  }

  /** For a person: sources that cannot be used, and items that nothing reports any more. */
  problems(): string[] {
    const { sources, items } = this.describe()
    const names = sources.map(({ name }) => name)
    const left = items.filter(({ source, state }) => state !== "ended" && !names.includes(source))
    return [
      ...sources.flatMap(describeError),
      ...left.map(
        ({ source, item }) =>
          `${item} of the source ${source} is still claimed, but coppice.yml has no such source.`,
      ),
    ]
  }

  /** Reads the item of a task again, so that its next conversation begins with the present text. */
  async readAgain({ id }: Task): Promise<void> {
    const { db } = this.#parts.fleet
    const row = findItemOfTask(db, id)
    const driven = row && this.#driven.get(row.source)
    if (!driven) return
    try {
      const item = await driven.source.read(row.item, this.#ending.signal)
      if (item) setPrompt(db, id, wordsOf(item, driven.config))
    } catch (error) {
      this.#parts.onError(error) // the text on record still says what was wanted
    }
  }

  #find(config: SourceConfig): Driven {
    const key = JSON.stringify(config)
    const known = this.#driven.get(config.name)
    if (known && (known.key === key || known.step !== undefined)) return known
    const { fleet, createSource, onError } = this.#parts
    const source = createSource(config)
    const { threads } = source
    const created: Created[] = []
    const driver = new SourceDriver({
      db: fleet.db,
      threads: threads && new ThreadDriver({ fleet, config, threads }),
      world: fleet.world,
      config,
      source,
      mintNonce: randomUUID,
      requireReady: () => void fleet.checkedConfig(),
      createTask: async (row, item) => {
        const key = made.request
        made.request = undefined
        const one = await createFrom(fleet, { row, item, config, key })
        if (config.schedule) created.push(one) // only its polls read and clear them
      },
      onBug: onError,
    })
    const made: Driven = {
      key,
      driver,
      source,
      config,
      created,
      request: undefined,
      step: undefined,
    }
    this.#driven.set(config.name, made)
    return made
  }

  /** Records the results of tasks that have ended. The source learns of them later. */
  #settle(): void {
    const { db, world } = this.#parts.fleet
    const { sources } = this.#parts.fleet.config()
    for (const { state, nonce, task, source } of listSourceItems(db)) {
      if (state !== "working") continue
      const onFailure = sources.find(({ name }) => name === source)?.onFailure
      const result = resultOf(findTask(db, task), onFailure)
      if (result) recordSourceItem(db, nonce, { result }, world.nowMs())
    }
  }

  #guarded(action: () => void | Promise<void>): void {
    const run = async () => await action()
    run().catch(this.#parts.onError)
  }
}

type Creating = {
  readonly row: SourceItem
  readonly item: Item
  readonly config: SourceConfig
  readonly key: string | undefined
}

/** The task and the record of the claim are one transaction. */
async function createFrom(fleet: Creator, { row, item, config, key }: Creating): Promise<Created> {
  const { agent, land, schedule } = config
  const words = wordsOf(item, config)
  const workItem = workItemOf(config.name, item.id)
  const request = { ...words, agent, land, workItem, priority: schedule?.priority }
  return await createTask(fleet, request, {
    schedule: schedule?.name,
    key,
    records: ({ id: task }) => {
      const nowMs = fleet.world.nowMs()
      const isRecorded = recordSourceItem(fleet.db, row.nonce, { task }, nowMs)
      assert(isRecorded, "an item becomes one task")
      if (isChat(config)) addChatThread(fleet.db, { ...row, task }, nowMs)
    },
  })
}

const wordsOf = (item: Item, { prompt }: SourceConfig) => ({
  title: workItemTitle(item),
  prompt: workItemPrompt(item, prompt),
})

function describeError({ name, error }: SourceDocument): string[] {
  return error === null ? [] : [`The source ${name} cannot be used: ${error}`]
}

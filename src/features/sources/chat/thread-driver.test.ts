/** Notes about a task reach its thread, and replies reach the task in every state. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Chat, sourceOf, startDiscord, startSlack } from "../../../../test/support/chat.ts"
import { TestRepo } from "../../../../test/support/repo.ts"
import { addSampleSession, addSampleTask, forceState } from "../../../../test/support/store.ts"
import type { TaskId } from "../../../base/ids.ts"
import type { SourceConfig } from "../../../config/config.ts"
import { appendEvent } from "../../../kernel/store/events.ts"
import { openDb } from "../../../kernel/store/open.ts"
import { sql } from "../../../kernel/store/sql.ts"
import type { Creator } from "../../../kernel/tasks/actions/create-task.ts"
import { findTask } from "../../../kernel/tasks/rows/find.ts"
import { answerQuestion, askQuestion } from "../../../kernel/tasks/rows/questions/ask.ts"
import { findQuestion } from "../../../kernel/tasks/rows/questions/list.ts"
import { closeTurn } from "../../../kernel/tasks/rows/turns/end.ts"
import { findOpenTurn } from "../../../kernel/tasks/rows/turns/find.ts"
import type { QuestionKind } from "../../../kernel/tasks/rules/question.ts"
import { NO_USAGE } from "../../../kernel/tasks/rules/usage.ts"
import type { TaskState } from "../../../kernel/tasks/rules.ts"
import { addChatThread, listChatThreads } from "./rows.ts"
import { ThreadDriver } from "./thread-driver.ts"

const never = new AbortController().signal
const NONCE = "1f0c9c52-0001-4000-8000-000000000000"
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** A room, a real store, tasks that began there, and a clock that the test moves. */
class Bench implements AsyncDisposable {
  readonly db = openDb(":memory:")
  readonly chat: Chat
  readonly source
  nowMs = Date.now()
  driver: ThreadDriver

  private constructor(chat: Chat) {
    this.chat = chat
    this.source = sourceOf(chat, { nowMs: () => this.nowMs })
    this.driver = this.create()
  }

  static async start(startChat = startSlack): Promise<Bench> {
    return new Bench(await startChat())
  }

  create(): ThreadDriver {
    const world = { nowMs: () => this.nowMs, dice: () => 0, point: () => {} }
    return new ThreadDriver({
      fleet: { db: this.db, world } as unknown as Creator,
      config: { name: "chat", type: "slack", expiresMs: DAY_MS } as SourceConfig,
      threads: this.source.threads!,
    })
  }

  /** @returns a task, and the message that began it. */
  begin(): { readonly id: TaskId; readonly item: string } {
    const { id } = addSampleTask(this.db)
    addSampleSession(this.db, id)
    const item = this.chat.write("alice", `<@UROBOT> Count words`)
    addChatThread(this.db, { source: "chat", item, nonce: NONCE, task: id }, this.nowMs)
    return { id, item }
  }

  /** The task comes into a state, with the event of it; its turn is over. */
  enter(task: TaskId, state: TaskState, reason?: string): void {
    const turn = findOpenTurn(this.db, task)
    if (turn) closeTurn(this.db, turn, { usage: NO_USAGE, message: "Done." }, this.nowMs)
    forceState(this.db, task, state, state === "stuck" ? "working" : null)
    if (reason !== undefined)
      sql(this.db, "update tasks set reason_code = 'failed', reason_text = :reason").run({ reason })
    appendEvent(this.db, { type: "task.told", task, data: { to: state } }, this.nowMs)
  }

  ask(task: TaskId, text: string, kind: QuestionKind = "question") {
    const asked = { task, turn: 1, kind, text, choices: [], subject: null }
    return askQuestion(this.db, asked, this.nowMs)
  }

  /** Time passes, and what is due is done. */
  async after(ms: number): Promise<void> {
    this.nowMs += ms
    await this.source.list(never)
    await this.driver.step(true, never)
  }

  promptOf(task: TaskId): string {
    return findOpenTurn(this.db, task)?.prompt ?? ""
  }

  messages(task: TaskId): unknown[] {
    return sql(this.db, "select text from messages where task = :task order by id")
      .list({ task })
      .map(({ text }) => text)
  }

  async [Symbol.asyncDispose]() {
    await this.chat[Symbol.asyncDispose]()
  }
}

test("a reply answers the oldest open question; without one it is a message for the next turn [39.13]", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  const [first, second] = [bench.ask(id, "which?"), bench.ask(id, "where?")]
  await bench.after(0)
  expect(bench.chat.said(item)).toEqual([
    expect.stringMatching(/^Task 1 asks:\n```\nwhich\?\n```/),
    expect.stringMatching(/^Task 1 asks:\n```\nwhere\?\n```/),
  ])
  for (const text of ["red", "there", "And be quick."]) bench.chat.reply(item, "alice", text)
  await bench.after(0)
  const answers = [first, second].map((one) => findQuestion(bench.db, one.id)?.answer)
  expect(answers).toEqual(["red", "there"])
  expect(bench.messages(id)).toEqual([expect.stringContaining("```\nAnd be quick.\n```")])
  await bench.after(0)
  expect(bench.messages(id), "each is delivered once").toHaveLength(1)
})

test("a message that was written before a question is no answer to it", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  bench.chat.reply(item, "alice", "Use red.")
  const { id: question } = bench.ask(id, "Delete all?")
  await bench.after(0)
  expect(findQuestion(bench.db, question)?.answer).toBeNull()
  expect(bench.messages(id)).toEqual([expect.stringContaining("Use red.")])
})

test("words are no answer to a question that is asked while they are read", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  bench.chat.reply(item, "alice", "yes")
  let question: number | undefined
  bench.chat.onRequest = ({ path }) => {
    if (path.includes("replies")) question ??= bench.ask(id, "May I push?", "permission").id
  }
  await bench.after(0)
  expect(findQuestion(bench.db, question!)?.answer).toBeNull()
  expect(bench.messages(id)).toEqual([expect.stringContaining("yes")])
})

test("a picture without text is no answer, and no hidden character reaches the agent", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  const { id: question } = bench.ask(id, "which?")
  await bench.after(0)
  bench.chat.reply(item, "alice", "")
  await bench.after(0)
  expect(findQuestion(bench.db, question)?.answer).toBeNull()
  for (const text of ["r\u001b[31me\u202ed", "no\u0007w"]) bench.chat.reply(item, "alice", text)
  await bench.after(0)
  expect(findQuestion(bench.db, question)?.answer).toBe("red")
  expect(bench.messages(id)).toEqual([expect.stringContaining("```\nnow\n```")])
})

test("a question that was answered elsewhere is not asked in the thread any more", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  answerQuestion(bench.db, bench.ask(id, "which?"), "red", bench.nowMs)
  await bench.after(0)
  expect(bench.chat.said(item)).toEqual([])
})

test("an answer that the question does not allow is refused in the thread, once", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  const { id: question } = bench.ask(id, "May I push?", "permission")
  await bench.after(0)
  bench.chat.reply(item, "alice", "perhaps")
  await bench.after(0)
  await bench.after(0)
  expect(bench.chat.said(item)).toEqual([
    expect.stringContaining("`yes`, `no` or `deny: &lt;why&gt;`"),
    "perhaps",
    expect.stringMatching(/^Your reply did not reach the agent:/),
  ])
  bench.chat.reply(item, "alice", "yes")
  await bench.after(0)
  expect(findQuestion(bench.db, question)?.answer).toBe("allow")
})

test("a stopped task says why, and a reply starts it again with its words [39.13]", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  bench.enter(id, "stuck", "It cannot find <app>.")
  await bench.after(0)
  expect(bench.chat.said(item)).toEqual([
    expect.stringMatching(/^Task 1 stopped:\n```\nIt cannot find &lt;app&gt;\.\n```/),
  ])
  bench.chat.reply(item, "alice", "It is in src.")
  await bench.after(0)
  expect(findTask(bench.db, id)?.state).toBe("working")
  expect(bench.promptOf(id)).toContain("```\nIt is in src.\n```")
})

test("a reply to a plan sends it back with its words", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  bench.enter(id, "planning_complete")
  bench.chat.reply(item, "alice", "Shorter, please.")
  await bench.after(0)
  expect(bench.chat.said(item).at(-1)).toContain("The plan of task 1 waits for approval")
  expect(findTask(bench.db, id)?.state).toBe("planning")
  expect(bench.promptOf(id)).toContain("Shorter, please.")
})

test.each(["paused", "merging"] as const)(
  "a reply to a task that is %s waits, and is not lost",
  async (state) => {
    await using bench = await Bench.start()
    const { id, item } = bench.begin()
    bench.enter(id, state)
    bench.chat.reply(item, "alice", "Wait for me.")
    await bench.after(0)
    expect(bench.messages(id)).toEqual([])
    forceState(bench.db, id, "working")
    await bench.after(0)
    expect(bench.messages(id)).toEqual([expect.stringContaining("Wait for me.")])
  },
)

test("a complete task goes on with a reply until the session expires; then one reply gets a hint [39.16]", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  bench.enter(id, "complete")
  bench.chat.reply(item, "alice", "One more.")
  await bench.after(DAY_MS - HOUR_MS)
  expect(findTask(bench.db, id)?.state).toBe("working")
  expect(bench.promptOf(id)).toContain("One more.")
  bench.enter(id, "complete")
  bench.chat.reply(item, "alice", "And another.")
  await bench.after(DAY_MS - HOUR_MS)
  expect(findTask(bench.db, id)?.state, "each reply prolongs it").toBe("working")
  bench.enter(id, "complete")
  await bench.after(HOUR_MS)
  for (const text of ["Still there?", "Hello?"]) bench.chat.reply(item, "alice", text)
  await bench.after(DAY_MS)
  await bench.after(0)
  const hints = bench.chat
    .said(item)
    .filter((text) => text.startsWith("This conversation has ended"))
  expect(hints).toHaveLength(1)
  expect(findTask(bench.db, id)?.state).toBe("complete")
  expect(listChatThreads(bench.db, "chat")).toEqual([])
})

test("an expired conversation without a reply is forgotten after another day", async () => {
  await using bench = await Bench.start()
  const { id } = bench.begin()
  bench.enter(id, "complete")
  await bench.after(2 * DAY_MS - 1)
  expect(listChatThreads(bench.db, "chat")).toHaveLength(1)
  await bench.after(1)
  expect(listChatThreads(bench.db, "chat")).toEqual([])
})

test.each([
  ["Slack", startSlack, "postMessage"],
  ["Discord", startDiscord, "/messages"],
] as const)(
  "a note to %s whose answer was lost is not written twice [39.14]",
  async (_, start, path) => {
    await using bench = await Bench.start(start)
    const { id, item } = bench.begin()
    bench.enter(id, "stuck", "No idea.")
    const when = (asked: { method: string; path: string }) =>
      asked.method === "POST" && asked.path.includes(path)
    bench.chat.fail({ when, how: "lose", times: 1 })
    await expect(bench.after(0)).rejects.toMatchObject({ code: "source.unreachable" })
    bench.driver = bench.create()
    await bench.after(0)
    expect(bench.chat.said(item)).toHaveLength(1)
  },
)

test("a note of another fleet does not stand for ours", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  const { id: question } = bench.ask(id, "which?")
  const rival = sourceOf(bench.chat, { token: "token-of-rival" }).threads!
  const key = `9e0c9c52-question-${question}`
  await rival.write(item, { key, text: "Task 1 asks: where?" }, never)
  await bench.after(0)
  expect(bench.chat.said(item)).toHaveLength(2)
})

test("a thread that refuses a note rests, is named, and holds up no other", async () => {
  await using bench = await Bench.start()
  const [one, two] = [bench.begin(), bench.begin()]
  for (const { id } of [one, two]) bench.enter(id, "stuck", "No idea.")
  const body = { ok: false, error: "restricted_action" }
  bench.chat.fail({
    when: (request) => request.body["thread_ts"] === one.item,
    how: { status: 200, body },
  })
  await bench.after(0)
  expect(bench.driver.problems()).toEqual([
    `chat ${one.item}: Its thread cannot be used: restricted_action`,
  ])
  expect(bench.chat.said(two.item)).toHaveLength(1)
  bench.chat.heal()
  await bench.after(HOUR_MS)
  expect(bench.driver.problems()).toEqual([])
  expect(bench.chat.said(one.item)).toHaveLength(1)
})

/** The task's worktree is a repository whose index no git can read. */
function breakWorktree(bench: Bench, repo: TestRepo, task: TaskId): void {
  const where = { task, path: repo.path }
  sql(bench.db, "update task_repos set path = :path, worktree = :path where task = :task").run(
    where,
  )
  writeFileSync(join(repo.path, ".git/index"), "broken")
}

test("a task that cannot take a reply says why in its thread, and holds up no other [39.13]", async () => {
  await using bench = await Bench.start()
  using repo = new TestRepo()
  const [one, two] = [bench.begin(), bench.begin()]
  bench.enter(one.id, "stuck", "No idea.")
  forceState(bench.db, two.id, "working")
  breakWorktree(bench, repo, one.id)
  for (const { item } of [one, two]) bench.chat.reply(item, "alice", "Go on.")
  await bench.after(0)
  expect(bench.messages(two.id)).toEqual([expect.stringContaining("Go on.")])
  expect(bench.chat.said(one.item).at(-1)).toMatch(/^Your reply did not reach the agent:[^]*index/)
  expect(findTask(bench.db, one.id)?.state).toBe("stuck")
})

test("a thread with a fault of ours rests, is named, and holds up no other", async () => {
  await using bench = await Bench.start()
  const [one, two] = [bench.begin(), bench.begin()]
  for (const { id } of [one, two]) bench.enter(id, "stuck", "No idea.")
  sql(bench.db, "update tasks set reason_code = null, state = 'strange' where id = :id").run({
    id: one.id,
  })
  await expect(bench.after(0)).rejects.toThrow()
  expect(bench.chat.said(two.item)).toHaveLength(1)
  expect(bench.driver.problems()).toEqual([expect.stringContaining(`chat ${one.item}: `)])
  await bench.after(0)
})

test("a bot that is out of the channel for a while keeps its conversations", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  bench.enter(id, "stuck", "No idea.")
  const how = { status: 200, body: { ok: false, error: "channel_not_found" } }
  bench.chat.fail({ when: ({ path }) => path.includes("replies"), how })
  await bench.after(0)
  expect(bench.driver.problems()).toEqual([expect.stringContaining("channel_not_found")])
  bench.chat.heal()
  await bench.after(HOUR_MS)
  expect(bench.chat.said(item)).toEqual([expect.stringContaining("Task 1 stopped")])
})

test("a conversation whose message was deleted is over, and its task goes on", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  bench.chat.remove(item)
  await bench.after(0)
  expect(listChatThreads(bench.db, "chat")).toEqual([])
  expect(findTask(bench.db, id)?.state).toBe("working")
})

test("a thread without news costs no request", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  bench.chat.reply(item, "mallory", "Lunch?")
  await bench.after(0)
  await bench.after(0)
  const requests = bench.chat.served.length
  await bench.after(0)
  expect(bench.chat.served.length - requests, "the room alone is read").toBe(1)
})

test("a thread that is older than the list is read once a minute", async () => {
  await using bench = await Bench.start()
  const { id, item } = bench.begin()
  forceState(bench.db, id, "working")
  await bench.after(2 * DAY_MS)
  bench.chat.reply(item, "alice", "Still there?")
  const requests = bench.chat.served.length
  await bench.after(10_000)
  expect(bench.chat.served.length - requests, "the room alone is read").toBe(1)
  await bench.after(50_000)
  expect(bench.messages(id)).toEqual([expect.stringContaining("Still there?")])
})

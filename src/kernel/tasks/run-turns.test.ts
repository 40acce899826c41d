import { expect, test } from "vitest"
import { LandingTest } from "../../../test/support/landing.ts"
import { TestRepo } from "../../../test/support/repo.ts"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import { waitFor } from "../../../test/support/wait-for.ts"
import type { SessionId, TaskId } from "../../base/ids.ts"
import { defaultConfig } from "../../config/parse.ts"
import type { Runtime } from "../runtime/runtime.ts"
import { openDb } from "../store/open.ts"
import { AgentSecrets } from "./agent-secrets.ts"
import type { JobsContext } from "./context.ts"
import { findTask } from "./rows/find.ts"
import { startJob } from "./rows/jobs/record.ts"
import { recordTask } from "./rows/record.ts"
import { addSession } from "./rows/sessions/record.ts"
import { findOpenTurn } from "./rows/turns/find.ts"
import { openTurn } from "./rows/turns/open.ts"
import { NO_USAGE } from "./rules/usage.ts"
import { runTurns } from "./run-turns.ts"
import { Written } from "./text-in-progress.ts"

const noFallbacks = { takeOver: async () => false, patienceMs: () => undefined }

test.each(["paused", "cancelled"] as const)(
  "no agent starts for a task that was %s while its worktree was made",
  async (event) => {
    const db = openDb(":memory:")
    const { id } = addSampleTask(db)
    forceState(db, id, "working")
    const session = "5e55" as SessionId
    addSession(db, { id: session, job: startJob(db, id, 1000).id }, 1000)
    openTurn(db, { task: id, session, prompt: "go" }, 1000)
    const bugs: unknown[] = []
    const runtime = {
      holder: () => "coder",
      unavailable: async () => {
        recordTask(db, findTask(db, id)!, { event }, 2000)
      },
      run: async () => expect.unreachable("an agent was started"),
    }
    const context = {
      db,
      taskLock: { hold: async () => {} },
      written: new Written(),
      secrets: new AgentSecrets(),
      world: { nowMs: () => 2000 },
      findAgent: () => undefined,
      fallbacks: noFallbacks,
      agentConfig: () => defaultConfig("app").agents[0]!,
      runtime: () => runtime,
      agentEnvironment: () => ({}),
      onBug: (error: unknown) => bugs.push(error),
    } as unknown as JobsContext

    await runTurns(context, id, new AbortController().signal)

    expect(bugs).toEqual([])
    expect(findTask(db, id)?.state).toBe(event)
    expect(findOpenTurn(db, id)?.begunAtMs ?? null).toBeNull()
  },
)

test("while a landing removes the worktree, a contained agent's commits are not exchanged [43.6]", async () => {
  using repo = new TestRepo()
  await using it = new LandingTest(repo)
  repo.commit({ "README.md": "ours\n" }, "A1", repo.worktree("feat"))
  const id = it.begin({ branch: "feat" })
  openTurn(it.db, { task: id, session: `session-${id}` as SessionId, prompt: "go" }, it.nowMs)
  const removing = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  it.onPoint = async (name) => {
    if (name !== "cleaning: removed") return
    removing.resolve()
    await goOn.promise
  }
  const exchanges: string[] = []
  let landed: ReturnType<LandingTest["run"]> | undefined
  const run: Runtime["run"] = async (start) => {
    const ending = start.endTurn({ n: 1, usage: NO_USAGE, message: "done", isHandoff: false })
    landed = it.run((await waitFor("a landing", () => it.landingOf(id))).id)
    await Promise.all([ending, removing.promise])
    exchanges.push("the landing removes it")
    return { kind: "ended" }
  }
  const runtime = { name: "claude", holder: () => "coder", unavailable: async () => undefined, run }
  const context = {
    ...it.context,
    taskLock: { hold: async () => {}, worktrees: it.context.taskLock.worktrees },
    written: new Written(),
    secrets: new AgentSecrets(),
    home: repo.path,
    findAgent: () => undefined,
    fallbacks: noFallbacks,
    runtime: () => runtime,
    agentEnvironment: () => ({}),
    connectAgent: () => ({ variables: {}, scratch: repo.folder }),
    beforeRun: async () => undefined,
    takeReport: () => {},
    mintSessionId: () => "next" as SessionId,
    limits: () => defaultConfig("app").limits,
    account: () => null,
    guard: () => undefined,
    imagesOf: () => [],
    changedFiles: async () => [],
    exchangeCommits: async (_: TaskId, { isEnd }: { readonly isEnd: boolean }) =>
      void exchanges.push(isEnd ? "at the end" : "else"),
  } as unknown as JobsContext

  await runTurns(context, id, new AbortController().signal)

  goOn.resolve()
  expect(await landed).toMatchObject({ state: "landed" })
  expect(exchanges).toEqual(["else", "at the end", "the landing removes it"])
})

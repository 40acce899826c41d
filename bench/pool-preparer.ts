/**
 * Gives tasks worktrees of a pool, and takes them back, when its parent says so, as the daemon does:
 * `pool-preparer.ts <database> <repository>…`.
 *
 * A process of its own, with a heap like the daemon's: what starting git costs depends on it.
 */
import { poolOf } from "../src/features/pool/worktree-pool.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { addTask } from "../src/kernel/tasks/rows/add.ts"
import { recordWorkspace } from "../src/kernel/tasks/rows/task-repos/workspace.ts"
import { GitWorktreeStrategy } from "../src/kernel/workspaces/git-worktree.ts"

const NAME = "repo"
const TITLE = "Do what this task is for, as one line of a list says it"

const [dbPath, ...repos] = process.argv.slice(2) as [string, ...string[]]
const db = openDb(dbPath)
let ahead: 0 | 1 = 0
const workspaces = new GitWorktreeStrategy({
  home: "bench",
  db,
  pool: poolOf({
    home: "bench",
    db,
    nowMs: Date.now,
    listPlaces: async () => repos.map(placeOf),
    setUp: async () => {},
    onError: (error) => {
      throw error
    },
  }),
})

function placeOf(repo: string) {
  return { repo, folder: `${repo}.worktrees`, target: "main", setup: undefined, ahead, env: {} }
}

type Order = { readonly repo: string; readonly pooled: boolean }

/** Replies how long the set-up took, and where it is. */
async function setUp({ repo, pooled }: Order) {
  const places = [{ name: NAME, path: repo, target: "main" }]
  const words = { title: TITLE, prompt: TITLE, agent: "sh", workItem: null, land: "merge" } as const
  const { id: task } = addTask(
    db,
    { ...words, strategy: "git_worktree", repos: places },
    Date.now(),
  )
  const startMs = performance.now()
  const workspace = await workspaces.setup({
    task,
    title: TITLE,
    workItem: null,
    agent: "sh",
    job: 1,
    nowMs: Date.now(),
    repo,
    repoName: NAME,
    target: "main",
    worktreeDir: `${repo}.worktrees`,
    pooled,
    branchPattern: "agent/{agent}/{workItem}",
    fetch: true,
    copy: [],
    link: [],
    isContained: false,
    recordBranch: () => {},
    findBegun: () => undefined,
    earlier: undefined,
    signal: new AbortController().signal,
  })
  const timeMs = performance.now() - startMs
  recordWorkspace(db, { task, name: NAME, ...workspace })
  await workspaces.leavePool({ task, ...workspace })
  const { branch, worktree, placed, base } = workspace
  const removal = { task, repo, branch, worktree, placed, safeCommits: [base], reason: "bench" }
  return { timeMs, worktree, removal: { ...removal, before: undefined } }
}

async function rest(): Promise<void> {
  workspaces.tendPools()
  await workspaces.poolsTended()
}

let last: Awaited<ReturnType<typeof setUp>> | undefined

process.on("message", async (order: Order | "take back" | "make ahead") => {
  if (order === "take back") {
    if (last) await workspaces.teardown(last.removal)
    await rest()
  } else if (order === "make ahead") {
    ahead = 1
    await rest()
  } else last = await setUp(order)
  process.send?.({ timeMs: last?.timeMs, worktree: last?.worktree })
})

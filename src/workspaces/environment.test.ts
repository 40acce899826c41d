import { expect, test } from "vitest"
import type { Oid } from "../core/ids.ts"
import { workspaceBrief } from "./brief.ts"
import { portBlock, type WorkspaceFacts, workspaceEnvironment } from "./environment.ts"

const FACTS: WorkspaceFacts = {
  task: 7,
  title: "Fix the typo",
  job: 12,
  worktree: "/src/app.worktrees/7-fix-the-typo",
  branch: "agent/coder/gh-17",
  target: "main",
  base: "0123456789012345678901234567890123456789" as Oid,
  workItem: "gh-17",
  repo: "/src/app",
  worktrees: [
    {
      name: "app",
      worktree: "/src/app.worktrees/7-fix-the-typo",
      branch: "agent/coder/gh-17",
      target: "main",
    },
    { name: "web-2", worktree: "/src/web.worktrees/7", branch: "agent/7", target: "next" },
  ],
}

test("every fact has its variable", () => {
  expect(workspaceEnvironment(FACTS)).toEqual({
    COPPICE_TASK: "7",
    COPPICE_JOB: "12",
    COPPICE_WORKTREE_PATH: "/src/app.worktrees/7-fix-the-typo",
    COPPICE_WORKTREE_PATH_APP: "/src/app.worktrees/7-fix-the-typo",
    COPPICE_WORKTREE_PATH_WEB_2: "/src/web.worktrees/7",
    COPPICE_WORKTREE_BRANCH: "agent/coder/gh-17",
    COPPICE_WORKTREE_BASE_BRANCH: "main",
    COPPICE_BASE_SHA: "0123456789012345678901234567890123456789",
    COPPICE_WORK_ITEM_ID: "gh-17",
    COPPICE_WORK_ITEM_TITLE: "Fix the typo",
    COPPICE_REPO_ROOT: "/src/app",
    COPPICE_WORKSPACE_STRATEGY: "git_worktree",
    COPPICE_PORT: "20140",
    COPPICE_SLUG: "task_7_fix_the_typo",
  })
  expect(workspaceEnvironment({ ...FACTS, workItem: null })).toMatchObject({
    COPPICE_WORK_ITEM_ID: "",
    COPPICE_WORK_ITEM_TITLE: "",
  })
})

test("the agent is told the same facts", () => {
  const brief = workspaceBrief(FACTS)
  const { worktrees, ...facts } = FACTS
  for (const fact of [...Object.values(facts), ...Object.values(worktrees[1]!)])
    expect(brief).toContain(String(fact))
  expect(brief).toContain("Do not merge, push, or rebase")
})

test("tasks that run together have ports of their own, below those the system hands out", () => {
  const ports = Array.from({ length: 600 }, (_, task) => portBlock(task))
  expect(new Set(ports).size).toBe(600)
  expect(Math.max(...ports) + 20).toBeLessThanOrEqual(32_768)
})

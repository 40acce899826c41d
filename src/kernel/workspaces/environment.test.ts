import { expect, test } from "vitest"
import type { Oid } from "../../base/ids.ts"
import { workspaceBrief } from "./brief.ts"
import { type WorkspaceFacts, workspaceEnvironment } from "./environment.ts"

const FACTS: WorkspaceFacts = {
  task: 7,
  title: "Fix the typo",
  job: 12,
  worktree: "/src/app.worktrees/7-fix-the-typo",
  branch: "agent/coder/gh-17",
  target: "main",
  base: "0123456789012345678901234567890123456789" as Oid,
  strategy: "git_worktree",
  isReview: false,
  workItem: "gh-17",
  repo: "/src/app",
  slug: "t7_fix_the_typo_0a1b2c3d",
  ports: { first: 20_140, count: 10 },
  worktrees: [
    {
      name: "app",
      worktree: "/src/app.worktrees/7-fix-the-typo",
      branch: "agent/coder/gh-17",
      target: "main",
      ports: { first: 20_140, count: 10 },
    },
    {
      name: "web-2",
      worktree: "/src/web.worktrees/7",
      branch: "agent/7",
      target: "next",
      ports: undefined,
    },
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
    COPPICE_PORT_APP: "20140",
    COPPICE_PORTS: "10",
    COPPICE_SLUG: "t7_fix_the_typo_0a1b2c3d",
  })
  const bare = { ...FACTS, workItem: null, ports: undefined }
  expect(workspaceEnvironment(bare)).toMatchObject({
    COPPICE_WORK_ITEM_ID: "",
    COPPICE_WORK_ITEM_TITLE: "",
    COPPICE_PORT: "",
    COPPICE_PORTS: "0",
  })
})

test("the agent's brief has the same facts", () => {
  const brief = workspaceBrief(FACTS)
  const { worktrees, ports, strategy, isReview: _, ...facts } = FACTS
  const { ports: _none, ...other } = worktrees[1]!
  for (const fact of [...Object.values(facts), ...Object.values(other)])
    expect(brief).toContain(String(fact))
  expect(brief).toContain("Ports 20140 to 20149 are yours alone.")
  expect(workspaceBrief({ ...FACTS, ports: undefined })).not.toContain("Ports")
  expect(brief).toContain("Do not merge, push, or rebase")
  expect(strategy).toBe("git_worktree")
  const folder = workspaceBrief({ ...FACTS, strategy: "static" })
  expect(folder).toContain(FACTS.worktree)
  expect(folder).toContain("nothing is committed, tested or landed for you")
})

/**
 * Lines of src that hold a law, each with a change that breaks the law.
 *
 * `npm run prove` makes one change at a time in a copy, and runs the tests that have to notice.
 * test/prove.test.ts checks that every line is still there, exactly once.
 */
import type { TortureFocus } from "../src/features/torture/focus.ts"

export type Mutation = {
  /** Of docs/spec.md. */
  readonly law: number
  /** The fault of the program with this change. */
  readonly breaks: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Test files, one of which has to fail. */
  readonly tests: readonly string[]
  /** A torture in which its situation occurs has to notice as well; null: none is tried. */
  readonly torture: "anything" | "pull requests" | TortureFocus | null
}

export const MUTATIONS: readonly Mutation[] = [
  {
    law: 2,
    breaks: "a target moves wherever it is now",
    file: "src/kernel/git/change/update-ref.ts",
    find: "`update ${ref} ${to} ${from}`",
    replace: "`update ${ref} ${to}`",
    tests: ["src/kernel/git/change/update-ref.test.ts"],
    torture: null,
  },
  {
    law: 3,
    breaks: "work lands although its gate is red",
    file: "src/kernel/landing/steps/gating.ts",
    find: "return isGreen(run) ? undefined : await judgeRed(step, repo, gate, run)",
    replace: "return run.result.exitCode >= 0 ? undefined : await judgeRed(step, repo, gate, run)",
    tests: ["src/kernel/landing/steps/gating.test.ts"],
    torture: "red-gates",
  },
  {
    law: 4,
    breaks: "the agent's own commits go when a replay of them has landed",
    file: "src/kernel/landing/steps/cleaning.ts",
    find: "await keepLanded(path, written, { ...request, safeCommits: isReplay ? [] : [candidate] })",
    replace: "void isReplay",
    tests: ["src/kernel/landing/snapshot/keep-head.test.ts"],
    torture: null,
  },
  {
    law: 4,
    breaks: "a worktree is removed with the files that only it has",
    file: "src/kernel/workspaces/git-worktree/teardown.ts",
    find: "const rescue = await saveFiles(workspace, owner)",
    replace: "const rescue = undefined as Awaited<ReturnType<typeof saveFiles>>",
    tests: ["src/kernel/workspaces/git-worktree/teardown.test.ts"],
    torture: "left-files",
  },
  {
    law: 4,
    breaks: "every commit counts as contained in what is kept",
    file: "src/kernel/workspaces/rescue/rescue.ts",
    find: "if (in_.includes(commit)) return true",
    replace: "if (in_.length > 0) return true",
    tests: ["src/kernel/workspaces/git-worktree/teardown.test.ts"],
    torture: "anything",
  },
  {
    law: 5,
    breaks: "untracked and ignored files of the user are overwritten",
    file: "src/kernel/landing/move/target-checkout.ts",
    find: "if (onDisk.length > 0) return",
    replace: "if (onDisk.length < 0) return",
    tests: [
      "src/kernel/landing/move/target-checkout.test.ts",
      "test/scenarios/target-checkout.test.ts",
    ],
    torture: "anything",
  },
  {
    law: 7,
    breaks: "a checkout is advanced before its intent is on record",
    file: "src/kernel/landing/move/advance-branch.ts",
    find: "advance.record({ ...intent, locker: helper(pid) })",
    replace: "void helper(pid)",
    tests: ["src/kernel/landing/move/mend-advance.test.ts", "test/fault/kill.test.ts"],
    torture: null,
  },
  {
    law: 7,
    breaks: "a task is recorded although its row has moved",
    file: "src/kernel/tasks/rows/record.ts",
    find: "if (row?.state !== task.state) return false",
    replace: "if (row === undefined) return false",
    tests: ["src/kernel/tasks/rows/record.test.ts"],
    torture: null,
  },
  {
    law: 9,
    breaks: "an agent may do all that a person may",
    file: "src/api/client/connect.ts",
    find: 'Boolean((env["COPPICE_TASK"] && env["COPPICE_JOB"]) || env["COPPICE_PROCESS"])',
    replace: 'env["COPPICE_TASK"] === ""',
    tests: ["src/api/client/connect.test.ts"],
    torture: null,
  },
  {
    law: 10,
    breaks: "a process that an agent left in the background runs on",
    file: "src/kernel/process/owner.ts",
    find: "async (result) => {\n      await end()",
    replace: "async (result) => {\n      void end",
    tests: ["src/kernel/process/owner.test.ts"],
    torture: "background-processes",
  },
  {
    law: 11,
    breaks: "an approval holds for commits that no person saw",
    file: "src/kernel/landing/snapshot/missing-approvals.ts",
    find: "if (approvers.has(A_PERSON)) continue",
    replace: "if (approvers.size >= 0) continue",
    tests: ["test/scenarios/approval.test.ts"],
    torture: null,
  },
  {
    law: 42,
    breaks: "a push replaces a person's commit that it has seen",
    file: "src/features/pull-requests/ship/push-work.ts",
    find: "if (there !== null && !(await isOurs(known, there)))",
    replace: "if (there !== null && known === undefined)",
    tests: ["src/features/pull-requests/shipping.test.ts"],
    torture: "pull requests",
  },
  {
    law: 42,
    breaks: "a push replaces a person's commit that came after the look at the branch",
    file: "src/kernel/git/change/push.ts",
    find: '`--force-with-lease=${ref}:${from ?? ""}`',
    replace: '(void [ref, from], "--force")',
    tests: ["src/features/pull-requests/shipping.test.ts"],
    torture: null,
  },
  {
    law: 42,
    breaks: "a pull request that is open already is opened again",
    file: "src/features/pull-requests/ship/open-pull-request.ts",
    find: "if (!found) continue",
    replace: "if (found || !found) continue",
    tests: ["src/features/stacks/restack.test.ts"],
    torture: "pull requests",
  },
  {
    law: 42,
    breaks: "a branch is removed while a pull request leads into it",
    file: "src/features/pull-requests/ship/remove-branch.ts",
    find: 'if (name !== repo.name || base !== into || state !== "open" || branch === null) continue',
    replace: "if (name !== base || branch !== base) continue",
    tests: ["src/features/stacks/restack.test.ts"],
    torture: "pull requests",
  },
  {
    law: 42,
    breaks: "a pull request that was closed counts as merged",
    file: "src/features/pull-requests/proposed.ts",
    find: "return closed(pull)",
    replace: 'return { kind: "merged", base: repo.head, candidate: repo.head }',
    tests: ["src/features/pull-requests/proposed.test.ts"],
    torture: "pull requests",
  },
]

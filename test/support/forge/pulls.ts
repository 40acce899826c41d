/**
 * The pull requests of a double of a forge, over a real bare repository, with real merges. A test
 * acts as the reviewers, and as the checks.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { quickGit } from "../quick-git.ts"
import type { MergeQueue } from "./merge-queue.ts"

export type MergeMethod = "merge" | "squash" | "rebase"

export type ReviewState = {
  readonly id: number
  readonly author: string
  state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED"
  readonly commit: string
  readonly body: string
  readonly comments: readonly {
    readonly path: string
    readonly line: number
    readonly body: string
  }[]
}

export type CheckRunState = {
  readonly name: string
  readonly commit: string
  /** Null: it runs. */
  conclusion: "success" | "failure" | null
  readonly summary: string
  /** One of GitHub's older kind. */
  readonly isStatus?: boolean
  /** GitLab's own word instead of the conclusion, and whether the job may fail. */
  readonly gitlab?: string
  readonly mayFail?: boolean
  /** Gitea's own word instead of the conclusion. */
  readonly gitea?: string
}

export type PullState = {
  readonly number: number
  readonly head: string
  base: string
  title: string
  body: string
  isDraft: boolean
  /** The branch is in a fork. */
  readonly isFork?: boolean
  state: "open" | "closed"
  /** The head when the pull request was merged. */
  mergedHead: string | null
  /** The commit by which it was merged. */
  merge: string | null
  reviewers: string[]
  readonly reviews: ReviewState[]
}

const WHO = {
  GIT_AUTHOR_NAME: "Forge",
  GIT_AUTHOR_EMAIL: "noreply@forge.example",
  GIT_COMMITTER_NAME: "Forge",
  GIT_COMMITTER_EMAIL: "noreply@forge.example",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
}

export class Pulls {
  readonly all: PullState[] = []
  /** Check runs by name, for every commit that {@link checks} answers for. */
  readonly runs: CheckRunState[] = []
  /** The bare repository that the forge hosts. */
  remote = ""
  /** The target takes merges of approved pull requests alone. */
  isProtected = false
  /** The merge queue of the target; undefined: it has none. */
  queue: MergeQueue | undefined
  /** The forge closes a pull request whose branch below it is gone. */
  closesWithBranch = false
  /** The forge closes a pull request that has no commits of its own. */
  closesEmpty = false
  /** The branches for which a second pull request was asked for; GitHub refuses it. */
  readonly openedTwice: string[] = []
  lastReview = 100

  git(...args: readonly string[]): string {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.remote, ...WHO }
    return quickGit(args, { cwd: this.remote, env }).toString("utf8").trim()
  }

  /** The commit of a branch; empty without one. */
  tip(branch: string): string {
    try {
      return this.git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`)
    } catch {
      return ""
    }
  }

  parents(commit: string): readonly string[] {
    return this.git("log", "-1", "--format=%P", commit).split(" ")
  }

  /** A person or a program opens one. */
  open(opened: Pick<PullState, "number" | "head" | "base" | "title" | "body" | "isDraft">) {
    const fresh = { state: "open", mergedHead: null, merge: null } as const
    const made: PullState = Object.assign({ ...fresh, reviewers: [], reviews: [] }, opened)
    this.all.push(made)
    return made
  }

  headOf({ mergedHead, head }: PullState): string {
    return mergedHead ?? this.tip(head)
  }

  find(number: string | number): PullState | undefined {
    const found = this.all.find((pull) => pull.number === Number(number))
    if (found && this.closesWithBranch && this.tip(found.base) === "") found.state = "closed"
    if (found?.state === "open" && this.closesEmpty && this.#isEmpty(found)) found.state = "closed"
    return found
  }

  #isEmpty({ base, head }: PullState): boolean {
    return this.git("rev-list", "--max-count=1", `${base}..${head}`) === ""
  }

  /** @returns why the forge refuses it. */
  retarget(pull: PullState, base: string): string | undefined {
    if (pull.state !== "open") return "Cannot change the base branch of a closed pull request."
    if (this.tip(base) === "") return `Proposed base branch '${base}' was not found`
    pull.base = base
    return undefined
  }

  /** Merges as a forge does; a conflict throws. */
  merge(pull: PullState, method: MergeMethod): void {
    const head = this.headOf(pull)
    const base = this.tip(pull.base)
    const made = method === "rebase" ? this.#rebase(base, head) : this.#commit(pull, method)
    this.git("update-ref", `refs/heads/${pull.base}`, made, base)
    // A forge keeps the head of a pull request, whatever becomes of its branch.
    for (const kind of ["pull", "merge-requests"])
      this.git("update-ref", `refs/${kind}/${pull.number}/head`, head)
    Object.assign(pull, { state: "closed", mergedHead: head, merge: made })
  }

  /** The commit that a merge would make. */
  candidate(pull: PullState): string {
    return this.#commit(pull, "merge")
  }

  #commit(pull: PullState, method: MergeMethod): string {
    const [base, head] = [this.tip(pull.base), this.headOf(pull)]
    const tree = this.git("merge-tree", "--write-tree", base, head).split("\n")[0] ?? ""
    const parents = method === "merge" ? ["-p", base, "-p", head] : ["-p", base]
    return this.git("commit-tree", tree, ...parents, "-m", `${pull.title} (#${pull.number})`)
  }

  #rebase(base: string, head: string): string {
    const folder = mkdtempSync(join(tmpdir(), "coppice-test-forge-"))
    try {
      this.git("worktree", "add", "--quiet", "--force", "--detach", folder, head)
      this.git("-C", folder, "rebase", "--quiet", "--no-ff", base)
      return this.git("-C", folder, "rev-parse", "HEAD")
    } finally {
      rmSync(folder, { recursive: true, force: true })
      this.git("worktree", "prune")
    }
  }

  /** From now on the repository refuses every push, in these words. */
  refusePushes(words: string): void {
    const hook = `#!/bin/sh\necho ${JSON.stringify(words)} >&2\nexit 1\n`
    writeFileSync(this.#hook, hook, { mode: 0o755 })
  }

  takePushes(): void {
    rmSync(this.#hook, { force: true })
  }

  get #hook(): string {
    return join(this.remote, "hooks", "pre-receive")
  }
}

type Given = Partial<Pick<ReviewState, "author" | "body" | "comments" | "commit">>

/** A person reviews the pull request as it is now; default: a member. */
export function review(
  { pulls }: { readonly pulls: Pulls },
  pull: PullState,
  state: ReviewState["state"],
  given: Given = {},
): ReviewState {
  const facts = { author: "ada", body: "", comments: [], commit: pulls.headOf(pull) }
  const made = { id: ++pulls.lastReview, state, ...facts, ...given }
  pull.reviews.push(made)
  return made
}

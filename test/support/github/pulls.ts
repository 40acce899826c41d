/**
 * Pull requests over a real bare repository, with real merges. A test acts as the reviewers, and as the
 * checks.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CheckRunState } from "./checks.ts"
import type { ReviewState } from "./reviews.ts"
import { type Call, NOT_FOUND, type Reply, type Route } from "./route.ts"

export type MergeMethod = "merge" | "squash" | "rebase"

export type PullState = {
  readonly number: number
  readonly head: string
  readonly base: string
  title: string
  body: string
  readonly isDraft: boolean
  state: "open" | "closed"
  /** Its head when it was merged. */
  mergedHead: string | null
  /** The commit by which it was merged. */
  merge: string | null
  reviewers: string[]
  readonly reviews: ReviewState[]
}

const WHO = {
  GIT_AUTHOR_NAME: "GitHub",
  GIT_AUTHOR_EMAIL: "noreply@github.example",
  GIT_COMMITTER_NAME: "GitHub",
  GIT_COMMITTER_EMAIL: "noreply@github.example",
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
  lastReview = 100

  git(...args: readonly string[]): string {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.remote, ...WHO }
    const cwd = this.remote
    return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).trim()
  }

  /** The commit of a branch; empty without one. */
  tip(branch: string): string {
    try {
      return this.git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`)
    } catch {
      return ""
    }
  }

  headOf({ mergedHead, head }: PullState): string {
    return mergedHead ?? this.tip(head)
  }

  find(number: string | number): PullState | undefined {
    return this.all.find((pull) => pull.number === Number(number))
  }

  /** Merges as GitHub does; a conflict throws. */
  merge(pull: PullState, method: MergeMethod): void {
    const head = this.headOf(pull)
    const base = this.tip(pull.base)
    const made = method === "rebase" ? this.#rebase(base, head) : this.#commit(pull, method)
    this.git("update-ref", `refs/heads/${pull.base}`, made, base)
    Object.assign(pull, { state: "closed", mergedHead: head, merge: made })
  }

  #commit(pull: PullState, method: MergeMethod): string {
    const [base, head] = [this.tip(pull.base), this.headOf(pull)]
    const tree = this.git("merge-tree", "--write-tree", base, head).split("\n")[0] ?? ""
    const parents = method === "merge" ? ["-p", base, "-p", head] : ["-p", base]
    return this.git("commit-tree", tree, ...parents, "-m", `${pull.title} (#${pull.number})`)
  }

  #rebase(base: string, head: string): string {
    const folder = mkdtempSync(join(tmpdir(), "coppice-test-github-"))
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

function pullDocument(call: Call, pull: PullState): object {
  const { state } = call
  const url = `https://github.example/acme/demo/pull/${pull.number}`
  return {
    number: pull.number,
    html_url: url,
    title: pull.title,
    body: pull.body,
    state: pull.state,
    draft: pull.isDraft,
    merge_commit_sha: pull.merge,
    merged_at: pull.merge === null ? null : "2026-01-01T00:00:00Z",
    head: { ref: pull.head, sha: state.pulls.headOf(pull) },
    base: { ref: pull.base },
    requested_reviewers: pull.reviewers.map((login) => ({ login })),
  }
}

function list(call: Call): Reply {
  const { query, state } = call
  const wanted = query.get("state") ?? "open"
  const head = query.get("head")?.replace(/^[^:]*:/, "")
  const base = query.get("base")
  const found = state.pulls.all
    .filter((pull) => wanted === "all" || pull.state === wanted)
    .filter((pull) => head === undefined || pull.head === head)
    .filter((pull) => base === null || pull.base === base)
  return { status: 200, body: found.map((pull) => pullDocument(call, pull)) }
}

const refusal = (status: number, message: string, errors: readonly object[] = []): Reply => ({
  status,
  body: { message, errors },
})

function open(call: Call): Reply {
  const { body, state } = call
  const { pulls, issues } = state
  const [head, base] = [String(body["head"]), String(body["base"])]
  const isKnown = pulls.all.some(
    (pull) => pull.state === "open" && pull.head === head && pull.base === base,
  )
  if (isKnown)
    return refusal(422, "Validation Failed", [
      { message: `A pull request already exists for acme:${head}.` },
    ])
  if (!pulls.tip(head))
    return refusal(422, "Validation Failed", [{ field: "head", code: "invalid" }])
  const issue = issues.open({ isPull: true, author: call.login, title: String(body["title"]) })
  const made: PullState = {
    number: issue.number,
    head,
    base,
    title: String(body["title"]),
    body: String(body["body"]),
    isDraft: body["draft"] === true,
    state: "open",
    mergedHead: null,
    merge: null,
    reviewers: [],
    reviews: [],
  }
  pulls.all.push(made)
  return { status: 201, body: pullDocument(call, made) }
}

/** Answers about one pull request; 404 if there is none. */
const about =
  (answer: (call: Call, pull: PullState) => Reply | undefined) =>
  (call: Call): Reply => {
    const pull = call.state.pulls.find(call.params["number"] ?? "")
    if (!pull) return NOT_FOUND
    return answer(call, pull) ?? { status: 200, body: pullDocument(call, pull) }
  }

const PULL = "/repos/:owner/:repo/pulls/:number"

export const PULL_ROUTES: readonly Route[] = [
  { method: "GET", path: "/repos/:owner/:repo/pulls", answer: list },
  { method: "POST", path: "/repos/:owner/:repo/pulls", answer: open },
  { method: "GET", path: PULL, answer: about(() => undefined) },
  {
    method: "POST",
    path: `${PULL}/requested_reviewers`,
    answer: about(({ body, state }, pull) => {
      const asked = body["reviewers"] as readonly string[]
      if (!asked.every((login) => state.members.has(login)))
        return refusal(422, "Reviews may only be requested from collaborators.")
      pull.reviewers = [...new Set([...pull.reviewers, ...asked])]
      return undefined
    }),
  },
  {
    method: "PUT",
    path: `${PULL}/merge`,
    answer: about(({ body, state }, pull) => {
      const { pulls } = state
      if (pull.state !== "open") return refusal(405, "Pull Request is not mergeable")
      if (body["sha"] !== undefined && body["sha"] !== pulls.headOf(pull))
        return refusal(409, "Head branch was modified. Review and try the merge again.")
      if (pulls.isProtected && !pull.reviews.some(({ state }) => state === "APPROVED"))
        return refusal(405, "At least 1 approving review is required.")
      pulls.merge(pull, (body["merge_method"] ?? "merge") as MergeMethod)
      return { status: 200, body: { sha: pull.merge, merged: true } }
    }),
  },
]

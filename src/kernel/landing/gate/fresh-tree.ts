/**
 * Adds a disposable worktree for a landing that cannot use the task's own.
 *
 * After a crash the landing removes the leftovers when it goes on; there is no other clean-up.
 */

import { AppError, isTransient } from "../../../base/errors.ts"
import type { Oid } from "../../../base/ids.ts"
import { type BoundedRun, runBounded } from "../../process/run.ts"
import { StoreError } from "../../store/errors.ts"
import type { DisposableWorktree } from "../../workspaces/disposable.ts"
import { leaseBlock } from "../../workspaces/ports/lease-block.ts"
import { readProjectAt } from "../../workspaces/project-at.ts"
import { releasePorts } from "../../workspaces/rows/ports.ts"
import { guessCommands } from "../../workspaces/rules/ecosystems/ecosystems.ts"
import { tearDownDisposable } from "../../workspaces/setup/run-teardown.ts"
import { beginSetUp } from "../../workspaces/setup/setup-record.ts"
import { tryStep } from "../../workspaces/setup/worktree-step.ts"
import {
  type Configured,
  type Disposables,
  type Programs,
  type Refs,
  type Rows,
  type Step,
  taskRepo,
} from "../action.ts"
import type { NotMadeReady } from "./run-gate.ts"

/** To add and to remove a disposable worktree. */
export type FreshTrees = Rows & Refs & Configured & Disposables & Programs

type Repo = { readonly name: string; readonly path: string }

export type FreshTree =
  | { readonly kind: "made"; readonly worktree: string }
  /** For people: no space, no right to write, a lock. */
  | { readonly kind: "unavailable"; readonly message: string }

/** Adds a disposable worktree at `commit`. @throws {AppError} for transient errors and bugs. */
export async function addTree(step: Step<FreshTrees>, repo: Repo, commit: Oid): Promise<FreshTree> {
  try {
    const { worktree } = await add(step, repo, commit)
    return { kind: "made", worktree }
  } catch (error) {
    step.signal.throwIfAborted()
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    if (isTransient(error) || error instanceof StoreError) throw error
    await removeTree(step, repo)
    return { kind: "unavailable", message: error.message }
  }
}

async function add(
  { context, task, signal }: Step<FreshTrees>,
  { name, path }: Repo,
  commit: Oid,
): Promise<DisposableWorktree> {
  const { workspace, containment } = context.agentConfig(task)
  const { copy, link, ports: count } = context.repoConfig({ name, path })
  const place = { repo: path, repoName: name, worktreeDir: workspace.worktreeDir }
  await leaseBlock(context.db, { home: context.home, task: task.id, name, count })
  return await context.disposables.addDisposable({
    ...place,
    task: task.id,
    commit,
    copy,
    link,
    isContained: containment.by !== "none",
    signal,
  })
}

/** Removes what {@link addTree} added, now or before a crash. */
export async function removeTree(step: Step<FreshTrees>, repo: Repo): Promise<void> {
  const { context, task, signal } = step
  const { name, path } = repo
  const leave = (worktree: string) => tearDownDisposable(context, { task, repo, worktree, signal })
  await context.disposables.removeDisposable(path, task.id, leave)
  const isOnlyOne = task.strategy === null || taskRepo(step, { name }).worktree === null
  if (isOnlyOne) releasePorts(context.db, { task: task.id, name })
}

export type MadeReady = { readonly kind: "ready" } | ({ readonly kind: "failed" } & NotMadeReady)

/** Runs set-up and check in it, as in a task's own worktree. @throws the signal's reason. */
export async function makeTreeReady(
  { context, task, signal }: Step<Configured & Programs>,
  repo: Repo,
  tree: { readonly worktree: string; readonly commit: Oid; readonly base: Oid },
): Promise<MadeReady> {
  const { setup, check } = context.repoConfig(repo)
  const install = setup ?? guessCommands(await readProjectAt(repo.path, tree.commit)).setup
  const env = context.environment(task, repo.name, tree)
  const run = (request: BoundedRun) => runBounded(context.owner, request)
  await beginSetUp(tree.worktree)
  const steps = [
    { step: "setup", command: install || undefined },
    { step: "check", command: check },
  ] as const
  for (const { step, command } of steps) {
    if (!command) continue
    const request = { step, command, task: task.id, worktree: tree.worktree, env, signal }
    const end = await tryStep(run, request)
    if (end.kind === "failed") return { ...end, step, command }
  }
  return { kind: "ready" }
}

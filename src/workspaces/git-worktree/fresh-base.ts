/** Finds the commit that new work starts from, after a fetch if one is configured. */
import type { Repository } from "../../git/ask/repository.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { type Base, readBase } from "./base.ts"
import { fetchFirst } from "./fetch-first.ts"
import { readTargetSettings, type TargetSettings } from "./settings.ts"

type Request = Pick<WorkspaceRequest, "target" | "fetch" | "signal">

/** Includes the configuration, which the same git reads. */
export type FreshBase = Base & Pick<TargetSettings, "checkout">

/** @throws {WorkspaceError} as {@link readBase}; {Error} the reason of `signal`. */
export async function readFreshBase(
  repository: Repository,
  { target, fetch, signal }: Request,
): Promise<FreshBase> {
  const { tracking, checkout } = await readTargetSettings(repository.root, target)
  const notices = fetch ? await fetchFirst(repository, tracking, signal) : []
  const base = await readBase(repository.root, target, tracking.upstream)
  return { ...base, checkout, notices: [...notices, ...base.notices] }
}

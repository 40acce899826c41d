/** The commit that new work starts from, after a look at the remote, where one is wanted. */

import { readTracking } from "../../git/remote.ts"
import type { Repository } from "../../git/repository.ts"
import type { WorkspaceRequest } from "../workspace.ts"
import { type Base, readBase } from "./base.ts"
import { fetchFirst } from "./fetch-first.ts"

type Request = Pick<WorkspaceRequest, "target" | "fetch" | "signal">

/** @throws {WorkspaceError} as {@link readBase}; the signal's reason. */
export async function readFreshBase(
  repository: Repository,
  { target, fetch, signal }: Request,
): Promise<Base> {
  const tracking = await readTracking(repository.root, target)
  const notices = fetch ? await fetchFirst(repository, tracking, signal) : []
  const base = await readBase(repository.root, target, tracking.upstream)
  return { ...base, notices: [...notices, ...base.notices] }
}

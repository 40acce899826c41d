/** `git for-each-ref`: refs and where they are. */
import type { Oid, RefName } from "../../core/ids.ts"
import { git, stdoutText } from "../start/exec.ts"

/** The refs under a prefix that point at commits. Other programs may put other refs there. */
export async function listCommitRefs(
  cwd: string,
  prefix: string,
): Promise<{ readonly ref: RefName; readonly oid: Oid }[]> {
  const args = ["for-each-ref", "--format=%(objecttype) %(objectname) %(refname)", prefix]
  const lines = stdoutText(await git(cwd, args)).split("\n")
  return lines.flatMap((line) => {
    const [, oid, ref] = /^commit (\S+) (.+)$/.exec(line) ?? []
    return oid && ref ? [{ oid: oid as Oid, ref: ref as RefName }] : []
  })
}

/** The refs under any of the prefixes, e.g. `refs/heads/` or `refs/coppice/7/`, sorted by name. */
export async function listRefs(
  cwd: string,
  ...prefixes: readonly string[]
): Promise<{ readonly ref: RefName; readonly oid: Oid }[]> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", ...prefixes]
  const lines = stdoutText(await git(cwd, args))
    .split("\n")
    .filter(Boolean)
  return lines.map((line) => {
    const end = line.indexOf(" ")
    return { oid: line.slice(0, end) as Oid, ref: line.slice(end + 1) as RefName }
  })
}

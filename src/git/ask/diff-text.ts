/** `git diff-tree -p`: what differs between two commits, for people. */
import type { Oid } from "../../core/ids.ts"
import { git, stdoutText } from "../start/exec.ts"

export type DiffText = {
  readonly text: string
  /** There was more; the text ends with a whole line. */
  readonly truncated: boolean
}

const ARGS = ["-r", "--patch", "--find-renames", "--no-color", "--no-ext-diff", "--no-textconv"]
/** Overrides the user's settings, so that the text can be applied. */
const PREFIXES = ["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--submodule=short"]

/** A patch; of binary files it says only that they differ. No program of the user's runs. */
export async function readDiff(
  cwd: string,
  { from, to, bytesMax }: { readonly from: Oid; readonly to: Oid; readonly bytesMax: number },
): Promise<DiffText> {
  const args = ["diff-tree", ...ARGS, ...PREFIXES, "--ignore-submodules=none", from, to, "--"]
  const result = await git(cwd, args, { cutAtBytes: bytesMax })
  if (!result.cut) return { text: stdoutText(result), truncated: false }
  const whole = result.stdout.slice(0, result.stdout.lastIndexOf("\n") + 1)
  return { text: stdoutText({ stdout: whole }), truncated: true }
}

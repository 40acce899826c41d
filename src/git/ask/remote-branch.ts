/** Finds where a remote leads, and asks the remote itself where its branches are. */
import { branchRef, type Oid } from "../../core/ids.ts"
import { GitError } from "../start/errors.ts"
import { git, type Network, readConfigAt, stdoutText } from "../start/exec.ts"
import { GitTimeoutError } from "../start/limits.ts"

/** With the rewriting of `url.*.insteadOf`. */
export type RemoteAddresses = { readonly push: string; readonly fetch: string }

/** @returns undefined if there is no such remote, or if it has several addresses. */
export async function readAddresses(
  cwd: string,
  remote: string,
): Promise<RemoteAddresses | undefined> {
  const push = await readAddress(cwd, remote, ["--push"])
  const fetch = await readAddress(cwd, remote, [])
  return push === undefined || fetch === undefined ? undefined : { push, fetch }
}

async function readAddress(
  cwd: string,
  remote: string,
  options: readonly string[],
): Promise<string | undefined> {
  const args = ["remote", "get-url", ...options, "--all", "--", remote]
  const result = await git(cwd, args, { answers: [0, 2, 128] })
  const addresses = stdoutText(result).split("\n").filter(Boolean)
  return result.exitCode === 0 && addresses.length === 1 ? addresses[0] : undefined
}

export type RemoteBranch =
  /** `commit` undefined: it has no such branch. */
  | { readonly kind: "answered"; readonly commit: Oid | undefined }
  | { readonly kind: "unreachable"; readonly message: string }

/** @throws the reason of the given signal when it aborts. */
export async function readRemoteBranch(
  cwd: string,
  { remote, branch }: { readonly remote: string; readonly branch: string },
  network: Network,
): Promise<RemoteBranch> {
  const program = await remoteProgram(cwd, remote, "uploadpack")
  const args = ["ls-remote", "--quiet", ...program, "--", remote, branchRef(branch)]
  try {
    const { stdout } = await git(cwd, args, { network })
    // A pattern also matches refs that end with it.
    const lines = stdout.split("\n").map((line) => line.split("\t"))
    const raw = Buffer.from(branchRef(branch), "utf8").toString("latin1")
    const found = lines.find(([, ref]) => ref === raw)
    return { kind: "answered", commit: found?.[0] as Oid | undefined }
  } catch (error) {
    if (error instanceof GitTimeoutError || error instanceof GitError)
      return { kind: "unreachable", message: error.message }
    throw error
  }
}

const OPTIONS = { uploadpack: "--upload-pack", receivepack: "--receive-pack" } as const

/**
 * The option that overrules the program on the other side. Git takes the first of several
 * configured ones, so a setting of ours could not.
 */
export async function remoteProgram(
  cwd: string,
  remote: string,
  program: keyof typeof OPTIONS,
): Promise<string[]> {
  const key = `remote.${Buffer.from(remote, "utf8").toString("latin1")}.${program}`
  const ours = (await readConfigAt(cwd)).findLast(
    (entry) => entry.scope === "command" && entry.key === key,
  )
  return ours === undefined ? [] : [`${OPTIONS[program]}=${ours.value}`]
}

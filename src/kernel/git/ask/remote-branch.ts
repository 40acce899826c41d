/** Finds where a remote leads, and asks the remote itself where its branches are. */
import { randomUUID } from "node:crypto"
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import type { ConfigEntry } from "../start/config-cache.ts"
import { GitError } from "../start/errors.ts"
import { git, type Network, readConfigAt, stdoutText } from "../start/exec.ts"
import { GitTimeoutError } from "../start/limits.ts"
import { type Addresses, askAddresses } from "./addresses.ts"

export type Remote = Addresses & { readonly name: string }

/** @returns undefined if there is no such remote, or if it has several addresses. */
export async function readRemote(cwd: string, name: string): Promise<Remote | undefined> {
  const addresses = await askAddresses(name, async (args) => {
    const result = await git(cwd, args, { answers: [0, 2, 128] })
    return result.exitCode === 0 ? stdoutText(result) : undefined
  })
  return addresses && { name, ...addresses }
}

export type RemoteBranch =
  /** `commit` undefined: it has no such branch. */
  | { readonly kind: "answered"; readonly commit: Oid | undefined }
  | { readonly kind: "unreachable"; readonly message: string }

/** @throws the reason of the given signal when it aborts. */
export async function readRemoteBranch(
  cwd: string,
  { remote, branch }: { readonly remote: Remote; readonly branch: string },
  network: Network,
): Promise<RemoteBranch> {
  const now = await readRemoteRefs(cwd, { remote, refs: [branchRef(branch)] }, network)
  return now.kind === "unreachable" ? now : { kind: "answered", commit: now.commits[0] }
}

export type RemoteRefs =
  /** In the order of the refs; undefined: it has no such ref. */
  | { readonly kind: "answered"; readonly commits: readonly (Oid | undefined)[] }
  | { readonly kind: "unreachable"; readonly message: string }

/** One request for all of them. @throws the reason of the given signal when it aborts. */
export async function readRemoteRefs(
  cwd: string,
  { remote, refs }: { readonly remote: Remote; readonly refs: readonly RefName[] },
  network: Network,
): Promise<RemoteRefs> {
  const { options, name, settings } = await leadTo(cwd, remote, "fetch")
  const args = ["ls-remote", "--quiet", ...options, "--", name, ...refs]
  try {
    const { stdout } = await git(cwd, args, { network, settings })
    // A pattern also matches refs that end with it.
    const lines = stdout.split("\n").map((line) => line.split("\t"))
    const commits = refs.map((asked) => {
      const raw = Buffer.from(asked, "utf8").toString("latin1")
      return lines.find(([, ref]) => ref === raw)?.[0] as Oid | undefined
    })
    return { kind: "answered", commits }
  } catch (error) {
    if (error instanceof GitTimeoutError || error instanceof GitError)
      return { kind: "unreachable", message: error.message }
    throw error
  }
}

type Route = {
  readonly options: readonly string[]
  /** In place of the remote's own name. */
  readonly name: string
  readonly settings: Readonly<Record<string, string>>
}

/** Settings of a remote that a remote under another name needs too. */
const KEPT_SETTINGS = ["proxy", "proxyauthmethod"]

/**
 * Leads a git to the given address, whatever the remote's name means by then. Git rewrites every address
 * by the longest match of `url.*.insteadOf`, and only once. So the name is one that no setting can match.
 */
export async function leadTo(
  cwd: string,
  remote: Remote,
  towards: "push" | "fetch",
): Promise<Route> {
  const name = `coppice-${randomUUID()}`
  const rewriting = `url.${remote[towards]}`
  const prefix = keyOf(remote.name, "")
  const config = await readConfigAt(cwd)
  const kept = KEPT_SETTINGS.flatMap((key) => {
    const found = config.findLast((entry) => entry.key === prefix + key)
    return found ? [[`remote.${name}.${key}`, Buffer.from(found.value, "latin1").toString()]] : []
  })
  const settings = { [`${rewriting}.insteadOf`]: name, [`${rewriting}.pushInsteadOf`]: name }
  const program = towards === "push" ? "receivepack" : "uploadpack"
  const options = programOption(config, remote.name, program)
  return { options, name, settings: { ...settings, ...Object.fromEntries(kept) } }
}

const OPTIONS = { uploadpack: "--upload-pack", receivepack: "--receive-pack" } as const

/** The option for the program on the other side. */
export async function remoteProgram(
  cwd: string,
  remote: string,
  program: keyof typeof OPTIONS,
): Promise<readonly string[]> {
  return programOption(await readConfigAt(cwd), remote, program)
}

/** Git takes the first of several configured programs, so a setting of ours alone would not overrule it. */
function programOption(
  config: readonly ConfigEntry[],
  remote: string,
  program: keyof typeof OPTIONS,
): readonly string[] {
  const named = config.filter((entry) => entry.key === keyOf(remote, program))
  const value = (named.findLast(({ scope }) => scope === "command") ?? named[0])?.value
  return value ? [`${OPTIONS[program]}=${Buffer.from(value, "latin1").toString()}`] : []
}

const keyOf = (remote: string, key: string) =>
  `remote.${Buffer.from(remote, "utf8").toString("latin1")}.${key}`

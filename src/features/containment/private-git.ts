/**
 * The git directory of a contained agent: its commits come back to the repository, and nothing else.
 *
 * - `private`: the agent's own git directory. Its sandbox shows it in place of the worktree's.
 * - `bridge`: a bare repository that no agent can write. It serves the branches and tags of the
 *   repository to the agent, and the agent's commit to the repository.
 * - `at`: the commit that both sides had last.
 *
 * The agent reads the objects of the repository, and writes its own in `private`. It sees neither the
 * repository's configuration nor its hooks, refs, other worktrees or index. {@link exchangeCommits} fetches
 * the commit of its HEAD, which checks every object, and moves the task's branch by
 * compare-and-swap. We read two of its files, as data; our git never works in its directory.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import { stateRoot } from "../../api/client/state-dir.ts"
import type { Oid, RefName } from "../../base/ids.ts"
import { listConfig } from "../../kernel/git/ask/config.ts"
import { type Head, readHead } from "../../kernel/git/ask/head.ts"
import { listRefs } from "../../kernel/git/ask/list-refs.ts"
import { readOperation } from "../../kernel/git/ask/operation-in-progress.ts"
import { gitDir } from "../../kernel/git/ask/rev-parse.ts"
import { fetchCommit } from "../../kernel/git/change/fetch-folder.ts"
import { rebuildIndex } from "../../kernel/git/change/read-tree.ts"
import { updateRef } from "../../kernel/git/change/update-ref.ts"
import { commonDirOf, ifExists } from "../../kernel/git/start/git-dir.ts"
import { UnreadableFileError } from "../../kernel/process/errors.ts"
import { type Fence, realPath } from "../../kernel/process/fence.ts"
import { findPlain, readPlainText, writeWhole } from "../../kernel/process/plain-file.ts"
import type { RunEnd } from "../../kernel/process/run.ts"
import { WorkspaceError } from "../../kernel/workspaces/errors.ts"

export type PrivateGit = {
  readonly worktree: string
  /** Ours: an agent reaches only `private` in it. */
  readonly folder: string
}

/** Alternates of alternates; git follows five. */
const ALTERNATES_DEPTH_MAX = 5
const SHARED_REFS = ["refs/heads/", "refs/tags/", "refs/remotes/"]
/** Settings that change what a commit holds or who made it. None names a program. */
const SETTINGS =
  "^(user\\.(name|email)|core\\.(autocrlf|eol|safecrlf|filemode|ignorecase|symlinks|precomposeunicode)|diff\\.algorithm|merge\\.conflictstyle|extensions\\.objectformat)$"

type Folder = Pick<PrivateGit, "folder">
const at = (own: Folder) => join(own.folder, "at")
const privateDir = (own: Folder) => join(own.folder, "private")
const bridgeDir = (own: PrivateGit) => join(own.folder, "bridge")

/** Makes it if it does not exist, with HEAD, index and refs as the worktree has them now. */
export async function makePrivateGit(own: PrivateGit): Promise<void> {
  if (existsSync(at(own))) return
  const dir = await gitDir(own.worktree)
  const common = commonDirOf(dir)
  const head = await readHead(own.worktree)
  const refs = await describeRefs(own.worktree)
  const config = await describeConfig(own.worktree)
  const git = privateDir(own)
  const serving = `${config}[uploadpack]\n\tallowAnySHA1InWant = true\n`
  makeSkeleton(bridgeDir(own), { config: serving, refs, alternates: [join(git, "objects")] })
  makeSkeleton(git, { config, refs, alternates: [join(common, "objects")] })
  mkdirSync(join(git, "info"), { recursive: true })
  for (const name of ["info/exclude", "shallow"]) copy(join(common, name), join(git, name))
  copy(join(dir, "index"), join(git, "index"))
  for (const name of sharedIndexes(dir)) copy(join(dir, name), join(git, name))
  writeFileSync(
    join(git, "HEAD"),
    head.kind === "branch" ? `ref: ${head.ref}\n` : `${head.commit}\n`,
  )
  writeFileSync(join(own.folder, "gitfile"), `gitdir: ${git}\n`)
  writeWhole(at(own), head.commit ?? "")
}

type Skeleton = {
  readonly config: string
  readonly refs: string
  readonly alternates: readonly string[]
}

function makeSkeleton(dir: string, { config, refs, alternates }: Skeleton): void {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
    mkdirSync(join(dir, name), { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, "HEAD"), "ref: refs/heads/none\n")
  writeFileSync(join(dir, "config"), config)
  writeFileSync(join(dir, "packed-refs"), refs)
  writeFileSync(join(dir, "objects/info/alternates"), `${alternates.join("\n")}\n`)
}

function copy(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to)
}

/** With `core.splitIndex` the index continues in other files. */
const sharedIndexes = (dir: string): string[] =>
  readdirSync(dir).filter((name) => name.startsWith("sharedindex."))

async function describeRefs(worktree: string): Promise<string> {
  const refs = await listRefs(worktree, ...SHARED_REFS)
  return refs.map(({ oid, ref }) => `${oid} ${ref}\n`).join("")
}

async function describeConfig(worktree: string): Promise<string> {
  const found = await listConfig(worktree, SETTINGS)
  const quoted = (text: string) =>
    `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`
  const isNew = found.some(({ key }) => key === "extensions.objectformat")
  const lines = found.map(({ key, value }) => {
    const [section, name] = key.split(".")
    return `[${section}]\n\t${name} = ${quoted(Buffer.from(value, "latin1").toString("utf8"))}\n`
  })
  const core = `[core]\n\trepositoryformatversion = ${isNew ? 1 : 0}\n\tbare = false\n\tlogallrefupdates = true\n`
  return `${core}[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n${lines.join("")}`
}

/** Whether its agent may have made a commit that did not come to the repository. */
export function hasUntaken(own: Folder): boolean {
  if (!existsSync(at(own))) return false
  try {
    const commit = readOwnCommit(privateDir(own))
    return commit !== undefined && commit !== readPlainText(at(own))?.trim()
  } catch {
    return true // the agent may have locked its folders
  }
}

/** The paths that git needs behind the fence of a program in this worktree. */
export async function fenceOfGit(
  own: PrivateGit,
): Promise<Pick<Fence, "writable" | "readable" | "fixed">> {
  const git = privateDir(own)
  const objects = join(commonDirOf(await gitDir(own.worktree)), "objects")
  const asIs = (path: string) => ({ from: path, at: path })
  return {
    // A folder that is mounted cannot be renamed, and so nothing takes its place.
    writable: [own.worktree, git, join(git, "objects")],
    readable: [bridgeDir(own), ...listObjectFolders(objects)],
    fixed: [
      { from: join(own.folder, "gitfile"), at: join(own.worktree, ".git") },
      ...[join(git, "config"), join(git, "objects/info")].map(asIs),
    ],
  }
}

function listObjectFolders(objects: string, depth = 0): string[] {
  if (depth > ALTERNATES_DEPTH_MAX || !existsSync(objects)) return []
  if (depth === 0 && realPath(objects) !== objects && !holdsOnlyObjects(objects))
    throw new UnreadableFileError(objects, "it is a link to a folder that is none of git's objects")
  const file = join(objects, "info/alternates")
  const lines = findPlain(file)?.toString().split("\n") ?? []
  const named = lines.filter((line) => line !== "" && !line.startsWith("#"))
  const further = named
    .map((path) => (isAbsolute(path) ? path : resolve(objects, path)))
    .filter(existsSync)
  const odd = further.find((path) => !holdsOnlyObjects(path))
  if (odd)
    throw new UnreadableFileError(file, `it names ${odd}, which is no folder of git's objects`)
  return [objects, ...further.flatMap((path) => listObjectFolders(path, depth + 1))]
}

/** Names that git makes there, also for a moment; `pack` always. */
const OF_OBJECTS = /^([0-9a-f]{2}|info|pack|loose-object-idx|tmp_.*|incoming-.*|[a-z]+\.lock)$/

/** An agent may read it then: a repository that came with its `.git` can name any folder. */
function holdsOnlyObjects(path: string): boolean {
  const names = ifExists(() => readdirSync(path), ["EACCES"]) ?? []
  if (!names.includes("pack") || !names.every((name) => OF_OBJECTS.test(name))) return false
  const real = realpathSync(path)
  const [home, state] = [homedir(), stateRoot(process.env)].map((own) => realPath(own) ?? own)
  return !isAt(home, real) && !isAt(state, real) && !isAt(real, state)
}

const isAt = (path = "", folder = ""): boolean => `${path}/`.startsWith(`${folder}/`)

export type Exchange = {
  /** Runs a shell script in the sandbox of the worktree, with these arguments. */
  run(script: string, args: readonly string[]): Promise<RunEnd>
  /** Whether an agent that stops in the middle of a rebase or merge is an error. */
  readonly isEnd: boolean
}

/**
 * Brings the agent's commits to the task's branch, and then what moved in the repository to the
 * agent. Call it when no turn runs.
 *
 * @throws {WorkspaceError} (world) if the agent's commits cannot be brought back. They stay in
 *   `folder`.
 */
export async function exchangeCommits(own: PrivateGit, { run, isEnd }: Exchange): Promise<void> {
  if (!existsSync(at(own)) || !existsSync(own.worktree)) return
  chmodSync(own.worktree, 0o700) // an agent may have opened it to other users, for what it left there
  const operation = readOperation(privateDir(own))?.kind
  if (operation && isEnd)
    throw untaken(own, `a ${operation} is in progress there; finish or abort it`)
  if (operation) return
  const head = await readHead(own.worktree)
  if (head.kind !== "branch") return
  await bringBack(own, head)
  await bringOver(own, run)
}

async function bringBack(own: PrivateGit, head: Head & { readonly kind: "branch" }): Promise<void> {
  const known = readPlainText(at(own))?.trim() as Oid
  const commit = readOwnCommit(privateDir(own))
  if (commit === undefined || commit === known) return
  if (commit !== head.commit) {
    if (head.commit !== known) throw untaken(own, `${head.ref} was moved by others while it worked`)
    requirePlainObjects(own)
    const why = await fetchCommit(own.worktree, { from: bridgeDir(own), commit, known })
    if (why !== undefined) throw untaken(own, why)
    const reason = "coppice: commits of a contained agent"
    const moved = await updateRef(own.worktree, { ref: head.ref, from: known, to: commit, reason })
    if (moved.kind !== "moved") throw untaken(own, `${head.ref} is ${moved.kind}`)
    await rebuildIndex(own.worktree, commit)
  }
  writeWhole(at(own), commit)
}

/** Git reads an object behind a link or from a pipe: another repository's, or it waits for ever. */
function requirePlainObjects(own: PrivateGit): void {
  const list = (folder: string) => {
    try {
      return readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      throw untaken(own, `${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  const objects = list(join(privateDir(own), "objects"))
  const folders = objects.filter((entry) => entry.isDirectory())
  const inside = folders.flatMap(({ parentPath, name }) => list(join(parentPath, name)))
  const odd = [...objects, ...inside].find((entry) => !entry.isFile() && !entry.isDirectory())
  if (odd) throw untaken(own, `${join(odd.parentPath, odd.name)} is no plain file or folder`)
}

/** Our git never writes where an agent may have put links, so git writes there in the sandbox. */
const TAKE_OVER = `git fetch -q --no-write-fetch-head --no-recurse-submodules --update-head-ok "$1" "+refs/*:refs/*" || exit
[ -n "$2" ] || exit 0
git symbolic-ref HEAD "$2" && git read-tree HEAD || exit
git update-index -q --refresh || :`

const NOT_BROUGHT = "The state of the repository cannot be brought to the contained agent."

async function bringOver(own: PrivateGit, run: Exchange["run"]): Promise<void> {
  const head = await readHead(own.worktree)
  const refs = await describeRefs(own.worktree)
  const known = readPlainText(at(own))?.trim()
  const file = join(bridgeDir(own), "packed-refs")
  if (head.kind !== "branch" || (refs === readPlainText(file) && head.commit === known)) return
  writeWhole(file, refs)
  const end = await run(TAKE_OVER, [bridgeDir(own), head.commit === known ? "" : head.ref])
  if (end.kind !== "exited" || end.code !== 0)
    throw new WorkspaceError("workspace.commits_untaken", NOT_BROUGHT, [end.output.trim()])
  writeWhole(at(own), head.commit ?? "")
}

const OID = /^([0-9a-f]{40}|[0-9a-f]{64})$/

/** The commit of its HEAD, read as data: the agent may have written anything there. */
function readOwnCommit(git: string): Oid | undefined {
  const read = (name: string) => findPlain(join(git, name), { follows: false })?.toString().trim()
  const head = read("HEAD") ?? ""
  if (OID.test(head)) return head as Oid
  const ref = /^ref: (refs\/heads\/[^\0]+)$/.exec(head)?.[1] as RefName | undefined
  if (ref === undefined || ref.split("/").includes("..")) return undefined
  const loose = read(ref)
  if (loose !== undefined) return OID.test(loose) ? (loose as Oid) : undefined
  const lines = read("packed-refs")?.split("\n") ?? []
  const packed = lines.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? ""
  return OID.test(packed) ? (packed as Oid) : undefined
}

function untaken(own: PrivateGit, why: string): WorkspaceError {
  return new WorkspaceError(
    "workspace.commits_untaken",
    `The commits of the contained agent cannot be taken over: ${why}.`,
    [`They are kept in ${privateDir(own)}; the files are in ${own.worktree}.`],
  )
}

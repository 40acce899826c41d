/** Parses conflicts from the output of `git merge-tree -z`. */
import type { GitPath, Oid } from "../../../base/ids.ts"
import { stdoutText } from "../start/exec.ts"

export type ConflictKind =
  | "content" // text, of files that both sides have
  | "modify/delete"
  | "rename/rename" // to different names
  | "rename/delete"
  | "rename" // of a folder, into which the other side has put something
  | "binary"
  | "submodule"
  | "symlink" // both sides lead it elsewhere
  | "mode" // one content, executable or not
  | "type" // a file here, a link or a submodule there
  | "file/directory"
  | "other"

export type MergeConflict = {
  readonly path: GitPath
  readonly kind: ConflictKind
  /** 1 is the base, 2 ours, 3 theirs; one that is missing does not have the file. */
  readonly stages: readonly {
    readonly stage: 1 | 2 | 3
    readonly mode: string
    readonly oid: Oid
  }[]
  /** git's own sentences, for people. */
  readonly messages: string
}

type Stage = MergeConflict["stages"][number]
type Message = { readonly paths: readonly GitPath[]; readonly type: string; readonly text: string }

/** git documents these types as stable. Matched in this order. */
const KINDS: readonly (readonly [RegExp, ConflictKind])[] = [
  [/submodule/, "submodule"],
  [/binary/, "binary"],
  [/modify\/delete/, "modify/delete"],
  [/rename\/rename/, "rename/rename"],
  [/rename\/delete/, "rename/delete"],
  [/file\/directory/, "file/directory"],
  [/distinct/, "type"],
  [/rename|directory/, "rename"],
  [/content|add\/add/, "content"],
]

/**
 * @see https://git-scm.com/docs/git-merge-tree the section on output: a tree; stages, up to an
 *   empty field; messages, each with its paths (counted), type and text.
 */
export function parseConflicts(stdout: string): MergeConflict[] {
  const fields = stdout.split("\0")
  const end = fields.indexOf("", 1)
  const stages = parseStages(fields.slice(1, end))
  const messages = parseMessages(fields.slice(end + 1)).filter(isConflict)
  const names = realNames(messages)

  const byPath = new Map<GitPath, Stage[]>()
  for (const { paths } of messages) for (const path of paths) byPath.set(names(path), [])
  for (const { path, ...stage } of stages)
    byPath.set(names(path), [...(byPath.get(names(path)) ?? []), stage])
  return [...byPath].map(([path, ofPath]) => {
    const said = messages.filter(({ paths }) => paths.some((other) => names(other) === path))
    const text = said.map((message) => message.text.trim()).join("\n")
    const kind = refine(kindOf(said), ofPath)
    return { path, kind, stages: ofPath, messages: stdoutText({ stdout: text }) }
  })
}

function parseStages(fields: readonly string[]): (Stage & { path: GitPath })[] {
  return fields.map((field) => {
    const tab = field.indexOf("\t")
    const [mode = "", oid, stage] = field.slice(0, tab).split(" ")
    const path = field.slice(tab + 1) as GitPath
    return { path, mode, oid: oid as Oid, stage: Number(stage) as Stage["stage"] }
  })
}

function parseMessages(fields: readonly string[]): Message[] {
  const messages: Message[] = []
  for (let at = 0; at + 1 < fields.length; ) {
    const count = Number(fields[at])
    const paths = fields.slice(at + 1, at + 1 + count) as GitPath[]
    const [type = "", text = ""] = fields.slice(at + 1 + count)
    messages.push({ paths, type, text })
    at += count + 3
  }
  return messages
}

/** When entries of different kinds want the same name, git calls one `name~commit`; we do not. */
function realNames(messages: readonly Message[]): (path: GitPath) => GitPath {
  const names = new Map<GitPath, GitPath>()
  for (const { type, paths } of messages) {
    const [first, ...others] = paths
    const kind = kindOfType(type)
    if (kind === "file/directory" && first && others[0]) names.set(first, others[0])
    if (kind === "type" && first) for (const other of others) names.set(other, first)
  }
  return (path) => names.get(path) ?? path
}

const LINK = "120000"
const MODULE = "160000"

/** Git reports a content conflict for anything that both sides changed, even a link or submodule. */
function refine(kind: ConflictKind, stages: readonly Stage[]): ConflictKind {
  if (kind !== "content") return kind
  const sides = stages.filter(({ stage }) => stage !== 1)
  if (sides.some(({ mode }) => mode === MODULE)) return "submodule"
  if (sides.some(({ mode }) => mode === LINK)) return "symlink"
  const isSame = sides.length > 1 && sides.every(({ oid }) => oid === sides[0]?.oid)
  return isSame ? "mode" : kind
}

const isConflict = ({ type }: Message) => type.startsWith("CONFLICT")

const kindOf = (messages: readonly Message[]): ConflictKind =>
  messages[0] ? kindOfType(messages[0].type) : "other"

const kindOfType = (type: string): ConflictKind =>
  KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "other"

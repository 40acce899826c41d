/**
 * Signs the commits that land, and signs them off, as the person whose fleet it is.
 *
 * Git's configuration outside the repository (`system` and `global`) says who signs: the identity, the
 * key and the program. An agent can write the configuration of the repository, so that counts for
 * nothing here (law 14).
 */
import type { Oid } from "../../base/ids.ts"
import type { Links } from "../../kernel/git/ask/cat-file.ts"
import { listCommits } from "../../kernel/git/ask/rev-list.ts"
import { identLine, readPerson } from "../../kernel/git/ask/settings.ts"
import { CommitWriter, formatCommit, parseCommit } from "../../kernel/git/change/commit-objects.ts"
import type { Configured, Programs, Rows, Step } from "../../kernel/landing/action.ts"
import type { Made } from "../../kernel/landing/candidate/replay.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { signText, type Unsigned, unsigned } from "./sign-text.ts"

type Uses = Rows & Configured & Programs

type Signed = (Made & { readonly kind: "signed" }) | Unsigned

/** Writes each commit of the candidate again, where the landing of this agent asks for that. */
export async function signCandidate(
  step: Step<Uses>,
  { path }: LandingRepo,
  { target, ...made }: Made & { readonly target: Oid },
): Promise<Signed> {
  const { sign, signoff } = step.context.agentConfig(step.task).landing
  if (!sign && !signoff) return { kind: "signed", ...made }
  const person = await readPerson(path)
  if (!person.identity)
    return unsigned("`git config --global` has no user.name and user.email to sign as")
  const committer = identLine(person.identity, step.context.world.nowMs())
  const trailer = signoff ? `Signed-off-by: ${committer.replace(/ \d+ \+0000$/, "")}` : undefined
  const written = new Map<Oid, Links>()
  await using writer = new CommitWriter(path)
  for (const { oid, raw } of await listCommits(path, target, made.candidate)) {
    const { parents: old, ...parts } = parseCommit(raw)
    const parents = old.map((parent) => written.get(parent)?.oid ?? parent)
    const message = trailer ? withTrailer(parts.message, trailer) : parts.message
    const text = formatCommit({ ...parts, parents, committer, message })
    const signature = sign ? await signText(step, person, text) : ""
    if (typeof signature !== "string") return signature
    const name = oid.length === 40 ? "gpgsig" : "gpgsig-sha256"
    const now = await writer.write(signature ? withSignature(text, name, signature) : text)
    written.set(oid, { oid: now, tree: parts.tree, parents })
  }
  const candidate = written.get(made.candidate)?.oid ?? made.candidate
  return { kind: "signed", candidate, commits: [...written.values()] }
}

/** Like `git commit --signoff`: in the last paragraph if that has only trailers, and once. */
function withTrailer(message: string, trailer: string): string {
  const text = message.replace(/\n+$/, "")
  const paragraphs = text.split(/\n\n+/)
  const last = (paragraphs.length > 1 && paragraphs.at(-1)?.split("\n")) || []
  if (last.includes(trailer)) return `${text}\n`
  const isTrailers = last.length > 0 && last.every((line) => /^[\w-]+: |^\s/.test(line))
  return `${text}${isTrailers ? "\n" : "\n\n"}${trailer}\n`
}

function withSignature(text: string, name: string, signature: string): string {
  const end = text.indexOf("\n\n")
  const header = `${name} ${signature.trimEnd().replaceAll("\n", "\n ")}`
  return `${text.slice(0, end)}\n${header}${text.slice(end)}`
}

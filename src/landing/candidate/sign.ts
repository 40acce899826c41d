/**
 * Signs the commits that land, and signs them off, as the person whose fleet it is.
 *
 * The person is who git's configuration outside of the repository says (scopes `system` and
 * `global`): the identity, the key and the signing program. An agent can write the configuration of
 * the repository, so that counts for nothing here (law 14). The program runs in an empty folder,
 * without a terminal, and for a bounded time.
 */
import { writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Oid } from "../../core/ids.ts"
import type { Links } from "../../git/ask/cat-file.ts"
import { listCommits } from "../../git/ask/rev-list.ts"
import { identLine, type Person, readPerson } from "../../git/ask/settings.ts"
import { CommitWriter, formatCommit, parseCommit } from "../../git/change/commit-objects.ts"
import { commandEnvironment } from "../../process/environment.ts"
import { type RunEnd, runBounded } from "../../process/run.ts"
import { makeScratch } from "../../process/scratch.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import type { Configured, Programs, Rows, Step } from "../action.ts"
import type { Made } from "./replay.ts"

/** A key in hardware waits for a touch; a question without a terminal would wait for ever. */
const SIGN_MS_MAX = 30_000
/** A signature has a few kilobytes; the rest is what the program says. */
const SIGNATURE_BYTES_MAX = 64 * 1024

type Uses = Rows & Configured & Programs

export type Signed =
  | (Made & { readonly kind: "signed" })
  /** A person has to change something. */
  | { readonly kind: "unsigned"; readonly reason: string }

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

const unsigned = (reason: string) => ({ kind: "unsigned", reason }) as const

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

async function signText(
  step: Step<Uses>,
  person: Person,
  text: string,
): Promise<string | { readonly kind: "unsigned"; readonly reason: string }> {
  const format = person.get("gpg.format") ?? "openpgp"
  using scratch = makeScratch()
  const command = commandFor(format, person, scratch.path)
  if (typeof command === "string") return unsigned(command)
  const { context, task, signal } = step
  const kept = { GNUPGHOME: process.env["GNUPGHOME"], SSH_AUTH_SOCK: process.env["SSH_AUTH_SOCK"] }
  const extra = Object.fromEntries(Object.entries(kept).filter(([, value]) => value))
  const chunks: Buffer[] = []
  const end = await runBounded(context.owner, {
    command,
    cwd: scratch.path,
    env: {
      ...commandEnvironment(process.env, extra as Record<string, string>),
      SSH_ASKPASS_REQUIRE: "never",
    },
    purpose: "setup",
    task: task.id,
    isTrusted: true,
    timeoutMs: SIGN_MS_MAX,
    outputBytesMax: SIGNATURE_BYTES_MAX,
    signal,
    stdin: Buffer.from(text, "latin1"),
    onOutput: (chunk) => chunks.push(chunk),
  })
  if (end.kind === "aborted") signal.throwIfAborted()
  const output = Buffer.concat(chunks).toString("latin1")
  const signature = /-----BEGIN [^\n]+\n[^]*?\n-----END [^\n]+/.exec(output)?.[0]
  if (end.kind === "exited" && end.code === 0 && signature) return `${signature}\n`
  return unsigned(`${command[0]} did not sign as the person: ${failureOf(end)}`)
}

function failureOf(end: RunEnd): string {
  if (end.kind === "unstartable") return end.message
  if (end.kind === "timed_out") return `it took more than ${SIGN_MS_MAX / 1000} s`
  const lines = end.output.split("\n").filter((line) => line && !line.startsWith("[GNUPG:]"))
  return lines.slice(-2).join("; ") || "it gave no signature"
}

/** @returns why there is none, as text. */
function commandFor(format: string, person: Person, folder: string): readonly string[] | string {
  const key = person.get("user.signingkey")
  const program = (name: string) => homePath(asText(person.get(`gpg.${format}.program`) ?? name))
  if (format === "ssh") {
    if (!key) return "`git config --global` has no user.signingKey to sign with"
    const sign = [program("ssh-keygen"), "-Y", "sign", "-ngit"]
    const literal = /^(key::|ssh-)/.test(key) ? key.replace(/^key::/, "") : undefined
    if (literal === undefined) return [...sign, "-f", homePath(asText(key))]
    const file = join(folder, "key.pub")
    writeFileSync(file, `${literal}\n`, "latin1")
    return [...sign, "-U", "-f", file] // only ssh-agent has the other half
  }
  const { name, email } = person.identity ?? { name: "", email: "" }
  const as = asText(key ?? `${name} <${email}>`)
  const quiet = ["--batch", "--no-tty", "--pinentry-mode=error"]
  if (format === "x509") return [program("gpgsm"), ...quiet, "-bsau", as]
  return [program(asText(person.get("gpg.program") ?? "gpg")), ...quiet, "-bsau", as]
}

const asText = (raw: string): string => Buffer.from(raw, "latin1").toString("utf8")

const homePath = (path: string): string =>
  path.startsWith("~/") ? join(homedir(), path.slice(2)) : path

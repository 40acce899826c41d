/**
 * Runs the person's signing program over the text of a commit: in an empty folder, without a terminal,
 * and for a bounded time.
 */
import { writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Person } from "../../kernel/git/ask/settings.ts"
import type { Programs, Step } from "../../kernel/landing/action.ts"
import { commandEnvironment } from "../../kernel/process/environment.ts"
import { type RunEnd, runBounded } from "../../kernel/process/run.ts"
import { makeScratch } from "../../kernel/process/scratch-folder.ts"

/** A key in hardware waits for a touch; a question without a terminal would wait for ever. */
const SIGN_MS_MAX = 30_000
/** A signature has a few kilobytes; the rest is what the program says. */
const SIGNATURE_BYTES_MAX = 64 * 1024

/** A person has to change something. */
export type Unsigned = { readonly kind: "unsigned"; readonly reason: string }

export const unsigned = (reason: string): Unsigned => ({ kind: "unsigned", reason })

type SigningCommand = { readonly kind: "command"; readonly command: readonly string[] }

/** @returns the signature of `text`. */
export async function signText(
  step: Step<Programs>,
  person: Person,
  text: string,
): Promise<string | Unsigned> {
  const format = person.get("gpg.format") ?? "openpgp"
  using scratch = makeScratch()
  const found = commandFor(format, person, scratch.path)
  if (found.kind === "unsigned") return found
  const { command } = found
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
    purpose: "sign",
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

function commandFor(format: string, person: Person, folder: string): SigningCommand | Unsigned {
  const key = person.get("user.signingkey")
  const program = (name: string) => homePath(asText(person.get(`gpg.${format}.program`) ?? name))
  if (format === "ssh") {
    if (!key) return unsigned("`git config --global` has no user.signingKey to sign with")
    const sign = [program("ssh-keygen"), "-Y", "sign", "-ngit"]
    const literal = /^(key::|ssh-)/.test(key) ? key.replace(/^key::/, "") : undefined
    if (literal === undefined) return run([...sign, "-f", homePath(asText(key))])
    const file = join(folder, "key.pub")
    writeFileSync(file, `${literal}\n`, "latin1")
    return run([...sign, "-U", "-f", file]) // only ssh-agent has the other half
  }
  const { name, email } = person.identity ?? { name: "", email: "" }
  const as = asText(key ?? `${name} <${email}>`)
  const quiet = ["--batch", "--no-tty", "--pinentry-mode=error"]
  if (format === "x509") return run([program("gpgsm"), ...quiet, "-bsau", as])
  return run([program(asText(person.get("gpg.program") ?? "gpg")), ...quiet, "-bsau", as])
}

const run = (command: readonly string[]): SigningCommand => ({ kind: "command", command })

const asText = (raw: string): string => Buffer.from(raw, "latin1").toString("utf8")

const homePath = (path: string): string =>
  path.startsWith("~/") ? join(homedir(), path.slice(2)) : path
